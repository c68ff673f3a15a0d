import { crc32 } from 'node:zlib';
import { Description, refsOf, segmentOf } from './description.ts';
import { aligned, type Column, DamagedSegment, entryBytes, kindOf, type Section, SectionsReader, SectionsWriter } from './sections.ts';
import type { Segment } from './segment.ts';

/**
 * The bytes of a segment. A header of eight words of 32 bits: `MSEG`, the version of the format, the length of all as
 * two words, that of the description, the CRC-32 of the description, 0, and the CRC-32 of the header before it. Then
 * the description, in JSON, and the sections, each of them padded to 8 bytes. Numbers are little-endian, as on every
 * host that Node.js runs on today: the bytes are used as they are, and another host would refuse `MSEG`.
 */
const magic = 0x4745_534d;
const version = 1;
const headerWords = 8;
const headerBytes = headerWords * 4;
/** So many bytes are copied or summed at once: some two milliseconds. */
const bytesAtOnce = 4 * 2 ** 20;
/** A byte of these costs as much as so many of the entries that merges count. */
const entriesPerByte = 1 / 128;

/** The bytes of a segment, in one go: a million documents take some 60 ms. */
export const encode = (segment: Segment): Uint8Array => run(encoding(segment));

/**
 * The segment of some bytes, which it keeps and uses. Throws {@link DamagedSegment} for bytes that are not a whole
 * segment of this format as it was written.
 */
export const decode = (bytes: Uint8Array): Segment => run(decoding(bytes));

/** As {@link encode}, in steps: yields what it has done since, in the entries of `mergeSegments`. */
export function* encoding(segment: Segment): Generator<number, Uint8Array> {
  const writer = new SectionsWriter();
  const refs = refsOf(segment, writer);
  const sections: Section[] = [];
  let end = 0;
  for (const column of writer.columns) {
    sections.push({ kind: kindOf(column), at: end, length: column.length, sum: yield* sumOf(bytesOf(column)) });
    end += aligned(column.byteLength);
  }
  const described = Buffer.from(JSON.stringify({ segment: refs, sections } satisfies Description), 'utf8');
  const begin = headerBytes + aligned(described.length);
  const bytes = new Uint8Array(begin + end);
  bytes.set(described, headerBytes);
  const words = new Uint32Array(bytes.buffer, 0, headerWords);
  words.set([magic, version, ...lengthWords(bytes.length), described.length, crc32(described), 0]);
  words[headerWords - 1] = crc32(bytes.subarray(0, headerBytes - 4));
  for (const [n, column] of writer.columns.entries()) {
    const from = bytesOf(column);
    for (let at = 0; at < from.length; at += bytesAtOnce) {
      bytes.set(from.subarray(at, at + bytesAtOnce), begin + (sections[n]?.at ?? 0) + at);
      yield bytesAtOnce * entriesPerByte;
    }
  }
  return bytes;
}

/** As {@link decode}, in steps: yields what it has done since, in the entries of `mergeSegments`. */
export function* decoding(given: Uint8Array): Generator<number, Segment> {
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice();
  const begin = headerBytes + aligned(checkHeader(bytes));
  const { segment, sections } = readDescription(bytes);
  let end = begin;
  for (const { kind, at, length, sum } of sections) {
    const size = length * entryBytes[kind];
    if (begin + at !== end || begin + at + aligned(size) > bytes.length) throw new DamagedSegment('a section is not where it should be');
    end += aligned(size);
    if ((yield* sumOf(bytes.subarray(begin + at, begin + at + size))) !== sum) throw new DamagedSegment('a section has been changed');
    if (bytes.subarray(begin + at + size, end).some((byte) => byte !== 0)) throw new DamagedSegment('the padding has been changed');
  }
  if (end !== bytes.length) throw new DamagedSegment('there is more behind its last section');
  return segmentOf(segment, new SectionsReader(bytes.subarray(begin), sections));
}

/** The length of the description. */
function checkHeader(bytes: Uint8Array): number {
  if (bytes.length < headerBytes) throw new DamagedSegment(`${bytes.length} bytes are less than a header`);
  const [mark, ofVersion, low, high, length = 0, , , sum] = new Uint32Array(bytes.buffer, bytes.byteOffset, headerWords);
  if (mark !== magic) throw new DamagedSegment('it does not begin as a segment does');
  if (sum !== crc32(bytes.subarray(0, headerBytes - 4))) throw new DamagedSegment('its header has been changed');
  if (ofVersion !== version) throw new DamagedSegment(`it is of version ${ofVersion} of the format, not ${version}`);
  const [lowNow, highNow] = lengthWords(bytes.length);
  if (low !== lowNow || high !== highNow) throw new DamagedSegment(`it has ${bytes.length} bytes, which are not all or too many`);
  return length;
}

function readDescription(bytes: Uint8Array): Description {
  const [, , , , length = 0, sum] = new Uint32Array(bytes.buffer, bytes.byteOffset, headerWords);
  const described = bytes.subarray(headerBytes, headerBytes + length);
  if (crc32(described) !== sum) throw new DamagedSegment('its description has been changed');
  if (bytes.subarray(headerBytes + length, headerBytes + aligned(length)).some((byte) => byte !== 0))
    throw new DamagedSegment('the padding has been changed');
  const read = Description.safeParse(JSON.parse(Buffer.from(described).toString('utf8')));
  if (!read.success) throw new DamagedSegment('its description is of another format', { cause: read.error });
  return read.data;
}

const lengthWords = (length: number): readonly [low: number, high: number] => [length >>> 0, Math.floor(length / 2 ** 32)];

const bytesOf = ({ buffer, byteOffset, byteLength }: Column): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);

function* sumOf(bytes: Uint8Array): Generator<number, number> {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += bytesAtOnce) {
    sum = crc32(bytes.subarray(at, at + bytesAtOnce), sum);
    yield bytesAtOnce * entriesPerByte;
  }
  return sum;
}

function run<T>(steps: Generator<number, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
