import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSegment } from '../../../../lib/search/segment/build.ts';
import { Description } from '../../../../lib/search/segment/description.ts';
import { decode, encode } from '../../../../lib/search/segment/format.ts';
import { aligned, DamagedSegment, entryBytes } from '../../../../lib/search/segment/sections.ts';
import { aDocument, anId } from '../../../support/search.ts';

const aSegment = fc
  .tuple(fc.array(aDocument, { maxLength: 20 }), fc.array(fc.record({ id: anId, version: fc.nat(9) }), { maxLength: 4 }))
  .map(([documents, removed]) => buildSegment(documents, removed));

/** Where the header, the description and each section begin, and where all ends. */
function bordersOf(bytes: Uint8Array): number[] {
  const length = new DataView(bytes.buffer).getUint32(16, true);
  const begin = 32 + aligned(length);
  const { sections } = Description.parse(JSON.parse(Buffer.from(bytes.subarray(32, 32 + length)).toString('utf8')));
  return [
    0,
    32,
    ...sections.map(({ at }) => begin + at),
    ...sections.map(({ at, kind, length: entries }) => begin + at + entries * entryBytes[kind]),
  ];
}

describe('the bytes of a segment', () => {
  it('give it back, wherever in a buffer they are', () => {
    fc.assert(
      fc.property(aSegment, fc.nat(9), (segment, offset) => {
        const bytes = encode(segment);
        const moved = new Uint8Array(bytes.length + offset).subarray(offset);
        moved.set(bytes);
        expect(decode(bytes)).toEqual(segment);
        expect(decode(moved)).toEqual(segment);
        expect(encode(decode(moved))).toEqual(bytes);
      }),
      { numRuns: 100 },
    );
  });

  it('are refused when they are cut anywhere, or go on', () => {
    fc.assert(
      fc.property(aSegment, fc.double({ min: 0, max: 1, noNaN: true }), (segment, share) => {
        const bytes = encode(segment);
        for (const end of [...bordersOf(bytes), Math.floor(share * bytes.length)].filter((border) => border < bytes.length))
          expect(() => decode(bytes.subarray(0, end))).toThrow(DamagedSegment);
        expect(() => decode(Uint8Array.from([...bytes, ...new Array(8).fill(0)]))).toThrow(DamagedSegment);
      }),
      { numRuns: 100 },
    );
  });

  it('are refused when a bit of any section has changed', () => {
    fc.assert(
      fc.property(aSegment, fc.nat(1_000), fc.nat(7), (segment, from, bit) => {
        const bytes = encode(segment);
        for (const border of bordersOf(bytes)) {
          const at = (border + (from % 40)) % bytes.length;
          const changed = bytes.slice();
          changed[at]! ^= 1 << bit;
          expect(() => decode(changed), `byte ${at}`).toThrow(DamagedSegment);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('of another version are refused with that reason', () => {
    const bytes = encode(buildSegment([]));
    expect(() => decode(Uint8Array.from([1, 2, 3]))).toThrow('a segment cannot be read: 3 bytes are less than a header; build it again');
    expect(() => decode(bytes.toReversed())).toThrow('it does not begin as a segment does');
    const words = new Uint32Array(bytes.buffer, 0, 8);
    words[1] = 2;
    words[7] = crc32(bytes.subarray(0, 28));
    expect(() => decode(bytes)).toThrow('it is of version 2 of the format, not 1');
  });
});
