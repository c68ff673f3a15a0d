import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf } from '../../../../lib/clients/rows/status.ts';
import { nobody, slotOf, slotsFor } from '../../../../lib/zones/map/rows/slots.ts';
import { countsBySlot, slotsMax, slotsWanted, splitMap, splits } from '../../../../lib/zones/map/split.ts';
import { at, aZone } from '../../../../tools/support/builders.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf, bringUp, lose, owned, rest } from '../members.ts';

const fingerprint = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const ownersOf = ({ zone }: Ledger, fps: readonly string[]): number[] => fps.map((fp) => zone.map.owner[slotOf(fp, zone.head.slots)]!);

describe('splitting slots', () => {
  it('leaves the owner and the home of every fingerprint as they were', () => {
    const cells = fc.array(fc.nat(65_535), { minLength: 1_024, maxLength: 1_024 });
    fc.assert(
      fc.property(cells, cells, fc.integer({ min: 1, max: 8 }), fc.array(fingerprint, { minLength: 20 }), (owners, homes, times, fps) => {
        const map = { owner: Uint16Array.from(owners), home: Uint16Array.from(homes) };
        const split = splitMap(map, 1_024 * 2 ** times);
        for (const fp of fps) {
          const [before, after] = [slotOf(fp, 1_024), slotOf(fp, 1_024 * 2 ** times)];
          expect([split.owner[after], split.home[after]]).toEqual([map.owner[before], map.home[before]]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('comes when a zone has more nodes than its slots are for, in a plan of its own that moves nobody', () => {
    const ledger = aZoneOf(4, { counts: new Uint16Array(1_024).fill(3) });
    bringUp(ledger, [5]);
    rest(ledger, at(0));
    const fps = Array.from({ length: 500 }, (_, n) => Buffer.from(String(n).padStart(32, 'x')).toString('hex').slice(-64));
    const before = ownersOf(ledger, fps);
    expect(splits(ledger.zone.head)).toBe(true);
    // What was in flight is let go first.
    ledger.plan(at(90_000), []);

    const { changes, because } = ledger.plan(at(90_001), []);

    expect(because).toEqual(['1,024 slots become 2,048; no client system moves']);
    expect(changes.map(({ ref }) => ref.noun)).toEqual(['zone', 'map']);
    expect(ledger.zone.head).toMatchObject({ slots: 2_048, mapVersion: ledger.zone.head.version });
    expect(ownersOf(ledger, fps)).toEqual(before);
    expect(splits(ledger.zone.head)).toBe(false);
  });

  it('crosses from the whole map in the commit to deltas: what moves afterwards is a delta of the new slots', () => {
    const ledger = aZoneOf(5);
    ledger.plan(at(30), []);

    const { changes } = lose(ledger, [2]);

    expect(changes.map(({ ref }) => ref.noun)).toContain('delta');
    expect(owned(ledger)[1]).toBe(0);
    expect(owned(ledger).reduce((sum, slots) => sum + slots)).toBe(2_048);
  });

  it('has whole clients told about a node that is lost before they are counted anew', () => {
    const ledger = aZoneOf(5);
    ledger.plan(at(30), []);
    ledger.counts = new Float64Array(2_048).map((_, slot) => (slot % 3) / 2);

    const { changes } = lose(ledger, [2]);

    const events = changes.flatMap(({ decision }) => (decision.does === 'write' ? decision.events : []));
    const about = events.map(({ type, data }) => (type === 'zone.node-lost' ? (data as { about: number }).about : 0)).find((n) => n > 0);
    expect(about).toSatisfy(Number.isInteger);
  });

  it('writes four pages for 1,024 nodes, and no more slots than a commit takes for any number', () => {
    const roster = (nodes: number): Uint8Array => Uint8Array.from({ length: nodes * 3 }, (_, n) => (n % 3 === 0 ? 2 : 0));
    expect(slotsWanted({ roster: roster(1_024), slots: 1_024 })).toBe(262_144);
    expect(slotsWanted({ roster: roster(10_000), slots: 1_024 })).toBe(slotsMax);
    expect(slotsWanted({ roster: roster(2), slots: 16_384 })).toBe(16_384);
    expect(slotsFor(1_024)).toBe(4 * 65_536);
  });

  it('shares the clients counted for fewer slots evenly among their parts, none being lost', () => {
    const counts = fc.array(fc.nat(65_535), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(counts, fc.constantFrom(8, 16, 64), (perSlot, slots) => {
        const bySlot = countsBySlot({ perSlot: Uint8Array.from(perSlot.flatMap((count) => [count >> 8, count & 255])) }, slots);
        expect(bySlot).toHaveLength(slots);
        expect(bySlot.reduce((sum, count) => sum + count, 0)).toBe(perSlot.reduce((sum, count) => sum + count, 0));
        for (const [slot, count] of bySlot.entries()) expect(count * (slots / 8)).toBe(perSlot[Math.floor((slot * 8) / slots)]);
      }),
    );
  });
});

describe('a reader of a zone whose slots were split', () => {
  it('finds the owner of a pinless client as before', () => {
    const zone = aZone({ nodes: [{}, {}, {}], owner: (slot) => slot % 3 });
    const split = { ...zone, head: { ...zone.head, slots: 4 * zone.head.slots }, map: splitMap(zone.map, 4 * zone.head.slots) };
    fc.assert(
      fc.property(fingerprint, (fp) => {
        const who = { fp, pin: nobody, soft: false };
        expect(ownerOf(split, who)).toBe(ownerOf(zone, who));
      }),
    );
  });
});
