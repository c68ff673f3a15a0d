import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { EpochMs } from '../../core/time.ts';
import type { Place } from '../follow.ts';
import { aligned, DamagedSegment } from '../segment/sections.ts';

/** A segment of a stored index: under a name of its own, or its bytes, which are within those of the index. */
export type StoredSegment = { readonly name: string } | { readonly bytes: Uint8Array };

/** An index of client systems as it is stored: the segments of each part, and how far they know the journals. */
export type StoredIndex = {
  /** What was published before is in it. */
  readonly asOf: EpochMs;
  readonly places: ReadonlyMap<string, Place>;
  readonly parts: ReadonlyMap<string, readonly StoredSegment[]>;
};

/**
 * The bytes of a stored index. A header of four words of 32 bits: `MIDX`, the version of the format, the length of the
 * description, and its CRC-32. Then the description, in JSON, and the segments that have no name, each padded to 8
 * bytes. A segment checks itself.
 */
const magic = 0x5844_494d;
const version = 1;
const headerWords = 4;
const headerBytes = headerWords * 4;

/** A segment in the description: its name, or where its bytes begin behind the description, and how many there are. */
const SegmentAt = z.union([z.string(), z.tuple([z.int().min(0), z.int().min(0)])]);
const Description = z.object({
  /** The version of the documents that are in it (lib/search/systems/document.ts). */
  documents: z.int(),
  asOf: EpochMs,
  places: z.array(z.tuple([z.string(), z.int().min(0), EpochMs])),
  parts: z.array(z.tuple([z.string(), z.array(SegmentAt)])),
});
type Description = z.infer<typeof Description>;

/** The bytes of an index of documents of a version. */
export function encodeIndex({ asOf, places, parts }: StoredIndex, documents: number): Uint8Array {
  const within: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  let end = 0;
  const placed = (bytes: Uint8Array): [at: number, length: number] => {
    const at = end;
    within.push({ at, bytes });
    end += aligned(bytes.length);
    return [at, bytes.length];
  };
  const described: Description = {
    documents,
    asOf,
    places: [...places].map(([part, { n, at }]) => [part, n, at]),
    parts: [...parts].map(([part, segments]) => [part, segments.map((one) => ('name' in one ? one.name : placed(one.bytes)))]),
  };
  const text = Buffer.from(JSON.stringify(described), 'utf8');
  const begin = headerBytes + aligned(text.length);
  const all = new Uint8Array(begin + end);
  new Uint32Array(all.buffer, 0, headerWords).set([magic, version, text.length, crc32(text)]);
  all.set(text, headerBytes);
  for (const { at, bytes } of within) all.set(bytes, begin + at);
  return all;
}

/**
 * The index of some bytes; its segments are copies, so that each can be let go of. Throws {@link DamagedSegment} for
 * bytes that are not a whole index of this format, or one of documents of another version.
 */
export function decodeIndex(bytes: Uint8Array, documents: number): StoredIndex {
  const described = readDescription(bytes);
  if (described.documents !== documents)
    throw new DamagedSegment(`it is of documents of version ${described.documents}, and this is version ${documents}`);
  const begin = headerBytes + aligned(lengthIn(bytes));
  let end = begin;
  const segmentAt = (one: z.infer<typeof SegmentAt>): StoredSegment => {
    if (typeof one === 'string') return { name: one };
    const [at, length] = one;
    end = Math.max(end, begin + at + aligned(length));
    return { bytes: bytes.slice(begin + at, begin + at + length) };
  };
  const parts = new Map(described.parts.map(([part, segments]) => [part, segments.map(segmentAt)]));
  if (bytes.length !== end) throw new DamagedSegment(`the index has ${bytes.length} bytes, and should have ${end}`);
  return { asOf: described.asOf, places: new Map(described.places.map(([part, n, at]) => [part, { n, at }])), parts };
}

const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice(0, headerBytes).buffer);
const lengthIn = (bytes: Uint8Array): number => wordsOf(bytes)[2] ?? 0;

function readDescription(bytes: Uint8Array): Description {
  if (bytes.length < headerBytes) throw new DamagedSegment(`${bytes.length} bytes are less than the header of an index`);
  const [mark, ofVersion, length = 0, sum] = wordsOf(bytes);
  if (mark !== magic) throw new DamagedSegment('it does not begin as an index does');
  if (ofVersion !== version) throw new DamagedSegment(`it is of version ${ofVersion} of the format of indexes, not ${version}`);
  const text = bytes.subarray(headerBytes, headerBytes + length);
  if (text.length !== length || crc32(text) !== sum) throw new DamagedSegment('the description of the index has been changed');
  const read = Description.safeParse(JSON.parse(Buffer.from(text).toString('utf8')));
  if (!read.success) throw new DamagedSegment('the description of the index is of another format', { cause: read.error });
  return read.data;
}
