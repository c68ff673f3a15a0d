import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsOf, countOf, isSameSet, placesOf, union, without } from '../../../../lib/clients/silence/bits.ts';
import { judge } from '../../../../lib/clients/silence/judge.ts';
import { silentIn, withSilent } from '../../../../lib/clients/silence/silence.ts';
import { carried, sightOf } from '../../../../lib/clients/silence/versions.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import { at } from '../../../../tools/support/builders.ts';

const zone = 'default' as ZoneName;
const upTo = (n: number): number[] => Array.from({ length: n }, (_, place) => place);
const rowOf = (seen: readonly number[], silent: readonly number[] = []) =>
  withSilent(
    { zone, listVersion: 1, at: at(0), seen: bitsOf(seen) },
    silent.map((place) => ({ entry: entryAt(place), place })),
  );
const entryAt = (place: number): string => place.toString(16).padStart(16, '0');
const sees = (seconds: number, places: readonly number[], before: readonly number[] | undefined) => ({
  listVersion: 1,
  at: at(seconds),
  bits: bitsOf(places),
  before: before && { at: at(seconds - 60), bits: bitsOf(before) },
});
const allBut = (n: number, ...missing: number[]): number[] => upTo(n).filter((place) => !missing.includes(place));

describe('sets of places', () => {
  const places = fc.uniqueArray(fc.nat(200)).map((all) => all.toSorted((a, b) => a - b));

  it('hold what they are made of', () => {
    fc.assert(fc.property(places, (all) => void expect(placesOf(bitsOf(all))).toEqual(all)));
  });

  it('are united, taken away and counted as sets are', () => {
    fc.assert(
      fc.property(places, places, (one, other) => {
        expect(placesOf(union(bitsOf(one), bitsOf(other)))).toEqual([...new Set([...one, ...other])].sort((a, b) => a - b));
        expect(placesOf(without(bitsOf(one), bitsOf(other)))).toEqual(one.filter((place) => !other.includes(place)));
        expect(countOf(bitsOf(one))).toBe(one.length);
        expect(isSameSet(bitsOf(one), new Uint8Array([...bitsOf(one), 0, 0]))).toBe(true);
      }),
    );
  });
});

describe('a digest', () => {
  it('that misses a client system once says nothing; two in a row do', () => {
    expect(judge(rowOf(upTo(20)), sees(60, allBut(20, 7), upTo(20))).vanished).toEqual([]);
    expect(judge(rowOf(upTo(20)), sees(120, allBut(20, 7), allBut(20, 7))).vanished).toEqual([7]);
  });

  it('says nothing about a client system that no digest has ever shown', () => {
    expect(judge(rowOf([1, 2]), sees(120, [1, 2], [1, 2])).vanished).toEqual([]);
  });

  it('tells once that a client system has vanished, and once that it is back', () => {
    expect(judge(rowOf(upTo(20), [7]), sees(180, allBut(20, 7), allBut(20, 7)))).toMatchObject({ vanished: [], returned: [] });
    expect(judge(rowOf(upTo(20), [7]), sees(240, upTo(20), allBut(20, 7)))).toMatchObject({ vanished: [], returned: [entryAt(7)] });
  });

  it('that misses a few of few is believed, and one that misses most of them is held', () => {
    expect(judge(rowOf(upTo(3)), sees(120, [0], [0])).vanished).toEqual([1, 2]);
    expect(judge(rowOf(upTo(3)), sees(120, [], []))).toMatchObject({
      vanished: [],
      next: { held: { since: at(60), vanished: 3 } },
      isNews: true,
    });
    expect(judge(rowOf(upTo(100)), sees(120, upTo(91), upTo(91))).vanished).toHaveLength(9);
    expect(judge(rowOf(upTo(100)), sees(120, upTo(80), upTo(80))).vanished).toEqual([]);
  });

  it('is held for 15 minutes since the first that missed so many, and is believed then', () => {
    const held = judge(rowOf(upTo(100)), sees(120, [], [])).next;

    expect(judge(held, sees(60 + 899, [], [])).vanished).toEqual([]);
    expect(judge(held, sees(60 + 900, [], [])).vanished).toHaveLength(100);
  });

  it('that shows them again ends that, and there was nothing', () => {
    const held = judge(rowOf(upTo(100)), sees(120, [], [])).next;
    const back = judge(held, sees(180, upTo(100), []));

    expect(back).toMatchObject({ vanished: [], returned: [], isNews: true });
    expect(back.next).not.toHaveProperty('held');
  });

  it('with nothing but newly seen client systems is news every five minutes', () => {
    expect(judge(rowOf([1]), sees(299, [1, 2], [1])).isNews).toBe(false);
    expect(judge(rowOf([1]), sees(300, [1, 2], [1])).isNews).toBe(true);
    expect(judge(rowOf([1]), sees(300, [1], [1])).isNews).toBe(false);
  });
});

describe('another version of the list', () => {
  const digest = (listVersion: number, places: readonly number[], before?: { listVersion: number; places: readonly number[] }) => ({
    listVersion,
    bits: bitsOf(places),
    at: at(600),
    ...(before && { before: { listVersion: before.listVersion, bits: bitsOf(before.places), at: at(540) } }),
  });
  const former = ['a', 'b', 'c', 'd'].map((name) => name.repeat(16));
  const now = ['b', 'bb', 'd', 'e'].map((name) => name.repeat(16 / name.length)).map((name, n) => (n === 1 ? `c${name.slice(1)}` : name));

  it('moves each place with its entry, and forgets an entry that is gone', () => {
    const newest = digest(2, [0], { listVersion: 1, places: [0, 1, 3] });
    const lists = { now, former };
    const row = withSilent({ zone, listVersion: 1, at: at(0), seen: bitsOf([0, 1, 3]) }, [
      { entry: former[0]!, place: 0 },
      { entry: former[3]!, place: 3 },
    ]);

    const carriedRow = carried(row, zone, newest, lists);
    expect(placesOf(carriedRow.seen)).toEqual([0, 2]);
    expect(silentIn(carriedRow)).toEqual([{ entry: former[3], place: 2 }]);
    expect(placesOf(sightOf(newest, lists)!.before!.bits)).toEqual([0, 2]);
  });

  it('that is not stored any more says nothing, and one whose former is not begins anew', () => {
    expect(sightOf(digest(2, [0]), { now: undefined, former: undefined })).toBeUndefined();
    const lists = { now, former: undefined };
    const newest = digest(9, [0], { listVersion: 7, places: [0, 1] });
    expect(sightOf(newest, lists)?.before).toBeUndefined();
    expect(placesOf(carried(rowOf([0, 1]), zone, newest, lists).seen)).toEqual([]);
  });
});
