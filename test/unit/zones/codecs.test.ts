import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generationAt, rosterSize, standingAt, withEntry } from '../../../lib/zones/map/rows/roster.ts';
import {
  applyDelta,
  emptyMap,
  encodeDelta,
  encodePage,
  nobody,
  pageSlots,
  slotOf,
  slotRange,
  slotsFor,
} from '../../../lib/zones/map/rows/slots.ts';
import { type Standing, standingOf, standings } from '../../../lib/zones/map/rows/standing.ts';
import { loadMap, loadMembers, loadRevoked } from '../../../lib/zones/rows/loaded.ts';
import { aZone, fpOf } from '../../../tools/support/builders.ts';

const check = (property: fc.IRawProperty<unknown>, numRuns = 200): void => void fc.assert(property, { seed: 7, numRuns });
const standing = fc.constantFrom(...(Object.keys(standings) as Standing[]));
const u16 = fc.integer({ min: 0, max: 0xffff });

describe('a roster', () => {
  it('holds of every node how it stands and its generation, in three bytes', () => {
    check(
      fc.property(fc.array(fc.tuple(standing, u16), { maxLength: 40 }), (entries) => {
        const roster = entries.reduce<Uint8Array>(
          (before, [how, generation], index) => withEntry(before, index, how, generation),
          new Uint8Array(0),
        );

        expect(rosterSize(roster)).toBe(entries.length);
        expect(entries.map((_, index) => [standingOf(standingAt(roster, index)), generationAt(roster, index)])).toEqual(entries);
      }),
    );
  });

  it('is copied when it changes, and says none of an index that was never given', () => {
    const before = withEntry(new Uint8Array(0), 0, 'up', 1);
    const after = withEntry(before, 3, 'joining', 515);

    expect([...before]).toEqual([2, 0, 1]);
    expect([...after]).toEqual([2, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
    expect([standingAt(after, 9), generationAt(after, 9)]).toEqual([0, 0]);
  });

  it('stores standings as numbers that never change', () => {
    expect(standings).toEqual({ none: 0, joining: 1, up: 2, suspect: 3, draining: 4, held: 5, down: 6, dropped: 7, quarantined: 8 });
  });
});

describe('a map', () => {
  const moves = fc.array(fc.record({ slot: fc.integer({ min: 0, max: 1_023 }), owner: u16, home: u16 }), { maxLength: 60 });

  it('is what its pages and deltas say, whether a delta is in the page already or not', () => {
    check(
      fc.property(fc.array(moves, { maxLength: 6 }), fc.nat(6), (versions, paged) => {
        const deltas = versions.map(encodeDelta);
        const at = Math.min(paged, deltas.length);
        const page = encodePage(loadMap(1_024, [], deltas.slice(0, at)), 0);

        const whole = loadMap(1_024, [], deltas);
        expect(loadMap(1_024, [page], deltas.slice(at))).toEqual(whole);
        expect(loadMap(1_024, [page], deltas)).toEqual(whole);
      }),
    );
  });

  it('of more slots than a page holds is stored on several', () => {
    const map = emptyMap(2 * pageSlots);
    map.owner[pageSlots - 1] = 3;
    map.home[pageSlots] = 4;

    expect(loadMap(2 * pageSlots, [encodePage(map, 0), encodePage(map, 1)])).toEqual(map);
    expect(encodePage(map, 1)).toHaveLength(4 * pageSlots);
  });

  it('begins as nobody’s', () => {
    expect(new Set([...emptyMap(1_024).owner, ...emptyMap(1_024).home])).toEqual(new Set([nobody]));
  });

  it('takes 8 bytes a moved slot in a delta', () => {
    const delta = encodeDelta([{ slot: 70_000, owner: 513, home: nobody }]);

    expect([...delta]).toEqual([0, 1, 17, 112, 2, 1, 255, 255]);
    const map = emptyMap(2 * pageSlots);
    applyDelta(delta, map);
    expect([map.owner[70_000], map.home[70_000]]).toEqual([513, nobody]);
  });
});

describe('a slot', () => {
  it('is the first bits of the fingerprint, and doubling the slots splits it in two', () => {
    check(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 10, max: 20 }), (name, bits) => {
        const fp = fpOf(name);
        const slot = slotOf(fp, 2 ** bits);

        expect(slot).toBe(Number(BigInt(`0x${fp}`) >> BigInt(256 - bits)));
        expect([2 * slot, 2 * slot + 1]).toContain(slotOf(fp, 2 ** (bits + 1)));
      }),
    );
  });

  it('holds exactly the fingerprints of its range', () => {
    check(
      fc.property(fc.nat(1_000_000), fc.constantFrom(1_024, 16_384, 65_536), (name, slots) => {
        const fp = fpOf(name);
        const { from, to } = slotRange(slotOf(fp, slots), slots);
        const other = slotRange((slotOf(fp, slots) + 1) % slots, slots);

        expect(from <= fp && fp <= to).toBe(true);
        expect(other.from <= fp && fp <= other.to).toBe(false);
      }),
    );
  });

  it.each([
    [1, 1_024],
    [4, 1_024],
    [5, 2_048],
    [50, 16_384],
    [500, 131_072],
  ])('there are 256 or more a node: for %i nodes %i', (nodes, slots) => {
    expect(slotsFor(nodes)).toBe(slots);
  });
});

describe('what a zone loads', () => {
  it('is every member by its index, whatever page it is on', () => {
    const { members } = aZone({ nodes: [{}, {}, {}] });
    const page = (list: unknown[]) => ({ members: list }) as Parameters<typeof loadMembers>[0][number];
    const first = Array.from({ length: 256 }, (_, i) => (i === 2 ? members[0] : null));

    const loaded = loadMembers([page(first), page([null, members[1]])]);

    expect([loaded[2], loaded[3], loaded[256], loaded[257]]).toEqual([members[0], undefined, undefined, members[1]]);
  });

  it('is the newest revocation of a fingerprint, of several', () => {
    const entries = new Uint8Array([0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 6]);

    expect(loadRevoked({ version: 3, entries, tokensBefore: 4 })).toEqual({
      revokedAt: new Map([
        [9, 7],
        [1, 2],
      ]),
      tokensBefore: 4,
      revokedVersion: 3,
    });
    expect(loadRevoked(undefined)).toEqual({ revokedAt: new Map(), tokensBefore: 0, revokedVersion: 0 });
  });
});
