import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EpochMs } from '../../../../lib/core/time.ts';
import { DamagedSegment } from '../../../../lib/search/segment/sections.ts';
import { decodeIndex, encodeIndex, type StoredIndex, type StoredSegment } from '../../../../lib/search/stored/format.ts';

const aSegment: fc.Arbitrary<StoredSegment> = fc.oneof(
  fc.record({ name: fc.stringMatching(/^segment-[0-9a-f]{40}$/) }),
  fc.record({ bytes: fc.uint8Array({ maxLength: 60 }) }),
);
const aPart = fc.stringMatching(/^[a-z-]{1,12}$/);
const aMoment = fc.maxSafeNat().map((ms) => EpochMs.parse(ms % 8e12));
const anIndex: fc.Arbitrary<StoredIndex> = fc.record({
  asOf: aMoment,
  places: fc.array(fc.tuple(aPart, fc.record({ n: fc.nat(), at: aMoment }))).map((all) => new Map(all)),
  parts: fc.array(fc.tuple(aPart, fc.array(aSegment, { maxLength: 4 }))).map((all) => new Map(all)),
});

describe('the bytes of an index', () => {
  it('are read as they were written, wherever they lie', () =>
    fc.assert(
      fc.property(anIndex, fc.nat(9), (index, offset) => {
        const bytes = encodeIndex(index, 3);
        const shifted = new Uint8Array(bytes.length + offset).subarray(offset);
        shifted.set(bytes);
        expect(decodeIndex(shifted, 3)).toEqual(index);
      }),
    ));

  it('that are cut are damaged', () =>
    fc.assert(
      fc.property(anIndex, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (index, share) => {
        const bytes = encodeIndex(index, 3);
        expect(() => decodeIndex(bytes.slice(0, Math.floor(share * bytes.length)), 3)).toThrow(DamagedSegment);
      }),
    ));

  it('whose header or description has a changed bit are damaged', () =>
    fc.assert(
      fc.property(anIndex, fc.nat(), fc.nat(7), (index, n, bit) => {
        const bytes = encodeIndex(index, 3);
        const [, , length = 0] = new Uint32Array(bytes.buffer, 0, 4);
        bytes[n % (16 + length)]! ^= 1 << bit;
        expect(() => decodeIndex(bytes, 3)).toThrow(DamagedSegment);
      }),
    ));

  it('of documents of another version are none', () => {
    const bytes = encodeIndex({ asOf: EpochMs.parse(1), places: new Map(), parts: new Map() }, 3);
    expect(() => decodeIndex(bytes, 4)).toThrow('it is of documents of version 3, and this is version 4');
  });
});
