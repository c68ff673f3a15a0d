import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { and, andNot, countBoth, not, or } from '../../../../lib/search/segment/algebra.ts';
import {
  type Bitmap,
  bitsOf,
  each,
  eachDown,
  firstOf,
  has,
  listOf,
  ordinalsOf,
  rangeOf,
  setBit,
  unsortedOf,
  wordsIn,
} from '../../../../lib/search/segment/bitmap.ts';
import { countAmong, emptyPostings, readSet, writeSet } from '../../../../lib/search/segment/postings.ts';

type Held = { readonly set: Bitmap; readonly ordinals: readonly number[] };

const ascending = (ordinals: readonly number[]): number[] => [...new Set(ordinals)].sort((a, b) => a - b);

function bits(size: number, ordinals: readonly number[]): Uint32Array {
  const words = new Uint32Array(wordsIn(size));
  for (const ordinal of ordinals) setBit(words, ordinal);
  return words;
}

/** A set in each of its forms, sparse and dense, with the ordinals that it holds. */
const aSet = (size: number): fc.Arbitrary<Held> => {
  const ordinals = fc.oneof(
    fc.array(fc.nat(size - 1), { maxLength: 8 }),
    fc
      .tuple(fc.nat(size - 1), fc.integer({ min: 1, max: 7 }))
      .map(([from, every]) => Array.from({ length: Math.ceil((size - from) / every) }, (_, n) => from + n * every)),
  );
  return fc.oneof(
    fc.tuple(fc.nat(size), fc.nat(size)).map(([from, length]) => {
      const to = Math.min(size, from + length);
      return { set: rangeOf(size, from, to), ordinals: Array.from({ length: to - from }, (_, n) => from + n) };
    }),
    ordinals.map((all) => ({ set: unsortedOf(size, Uint32Array.from(all)), ordinals: ascending(all) })),
    ordinals.map((all) => ({ set: listOf(size, Uint32Array.from(ascending(all))), ordinals: ascending(all) })),
    ordinals.map((all) => ({ set: bitsOf(size, bits(size, all)), ordinals: ascending(all) })),
  );
};
const twoSets = fc.integer({ min: 1, max: 400 }).chain((size) => fc.tuple(fc.constant(size), aSet(size), aSet(size), aSet(size)));

const expectHeld = (set: Bitmap, ordinals: readonly number[]): void => {
  expect([...ordinalsOf(set)]).toEqual(ordinals);
  expect(set.count).toBe(ordinals.length);
};

describe('sets of ordinals', () => {
  it('are cut, joined and told apart, in whatever form they are', () => {
    fc.assert(
      fc.property(twoSets, ([size, a, b, c]) => {
        const inB = new Set(b.ordinals);
        expectHeld(
          and(a.set, b.set),
          a.ordinals.filter((one) => inB.has(one)),
        );
        expectHeld(
          andNot(a.set, b.set),
          a.ordinals.filter((one) => !inB.has(one)),
        );
        expectHeld(or(size, [a.set, b.set, c.set]), ascending([...a.ordinals, ...b.ordinals, ...c.ordinals]));
        expectHeld(
          not(a.set),
          Array.from(Array(size).keys()).filter((one) => !a.ordinals.includes(one)),
        );
        expect(countBoth(a.set, b.set)).toBe(a.ordinals.filter((one) => inB.has(one)).length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are gone along in both directions from anywhere', () => {
    fc.assert(
      fc.property(twoSets, fc.nat(400), fc.nat(20), ([size, { set, ordinals }], from, count) => {
        expect(firstOf(set, count, from)).toEqual(ordinals.filter((one) => one >= from).slice(0, count));
        const [up, down]: [number[], number[]] = [[], []];
        each(set, (one) => up.push(one) > 0, from);
        eachDown(set, (one) => down.push(one) > 0, Math.min(from, size));
        expect(up).toEqual(ordinals.filter((one) => one >= from));
        expect(down.reverse()).toEqual(ordinals.filter((one) => one < from));
        expect(has(set, from % size)).toBe(ordinals.includes(from % size));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('postings', () => {
  it('give back each set, in whatever form it is stored', () => {
    const size = 150_000;
    const sets = [0, 1, 5, 7, 900, 9_374, 9_376, 40_000, size].map((count) =>
      Uint32Array.from({ length: count }, (_, n) => Math.floor((n * size) / count)),
    );
    const postings = emptyPostings(
      size,
      Uint32Array.from(sets, ({ length }) => length),
    );
    for (const [n, ordinals] of sets.entries()) writeSet(postings, n, ordinals);
    const even = bits(
      size,
      Array.from({ length: size / 2 }, (_, n) => n * 2),
    );
    for (const [n, ordinals] of sets.entries()) {
      expect(ordinalsOf(readSet(postings, n))).toEqual(ordinals);
      expect(countAmong(postings, n, even)).toBe(ordinals.filter((one) => one % 2 === 0).length);
    }
  });
});
