import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EpochMs, minuteMs, plusMs } from '../../../../lib/core/time.ts';
import { standingAt } from '../../../../lib/zones/map/rows/roster.ts';
import { serves } from '../../../../lib/zones/map/rows/standing.ts';
import { encodeFlights, flightsMax, flightsOf, lostPerMinute, movedPerMinute } from '../../../../lib/zones/placing/rows/budget.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf, bringUp, drop, leave, lose, moved, owned, rest } from '../members.ts';

const slots = 1_024;
/** Ten clients in each slot. */
const full = (): Uint16Array => new Uint16Array(slots).fill(10);
const lostAMinute = lostPerMinute * slots;
const movedAMinute = movedPerMinute * slots;

describe('nodes that are lost', () => {
  it('one by one, an hour apart, give all of their slots at once', () => {
    const ledger = aZoneOf(4, { counts: full() });

    lose(ledger, [1], at(3_600));
    lose(ledger, [2], at(7_200));

    expect(owned(ledger)).toEqual([0, 0, 512, 512]);
    expect(ledger.zone.head.budgets.holds).toBeUndefined();
  });

  it('together give those of the fullest at once, and the others 2 % of the slots a minute, the head being due for them', () => {
    const ledger = aZoneOf(4, { counts: full() });

    const { changes } = lose(ledger, [1, 2], at(60));

    expect(owned(ledger).slice(0, 2)).toEqual([0, 256 - Math.floor(lostAMinute)]);
    expect(changes.find(({ ref }) => ref.noun === 'zone')?.decision).toMatchObject({ wakeAt: at(90) });
    ledger.plan(at(120));
    expect(owned(ledger)[1]).toBe(256 - 2 * Math.floor(lostAMinute));
    expect(rest(ledger, at(120))).toBeGreaterThanOrEqual(at(60 + 60 * Math.floor((256 - 2 * lostAMinute) / lostAMinute)));
    expect(owned(ledger)).toEqual([0, 0, 512, 512]);
  });

  it('by an operator’s word give all of theirs at once, whatever else was lost; the next that is lost waits for them', () => {
    const ledger = aZoneOf(5, { counts: full() });
    lose(ledger, [1, 2], at(60));
    const waits = owned(ledger)[0]! > 0 ? 1 : 2;
    expect(owned(ledger)[waits - 1]).toBeGreaterThan(100);

    drop(ledger, [waits], at(61));

    expect(owned(ledger).slice(0, 2)).toEqual([0, 0]);
    expect(ledger.zone.head.budgets).not.toHaveProperty('atOnce');
    lose(ledger, [3], at(120));
    expect(owned(ledger)[2]).toBeGreaterThan(300);
  });

  it('by an operator’s word while moves are frozen give them all once nothing is frozen', () => {
    const ledger = aZoneOf(4, { counts: full() });
    ledger.setHead({ brakes: { freeze: 'moves' } });
    lose(ledger, [1], at(60));
    drop(ledger, [2, 3], at(61));
    expect(owned(ledger)).toEqual([256, 256, 256, 256]);

    ledger.setHead({ brakes: {} });
    ledger.plan(at(120), []);

    expect(owned(ledger)).toEqual([0, 0, 0, 1_024]);
  });

  it('give at once what has no clients, however many are lost', () => {
    const ledger = aZoneOf(4);
    lose(ledger, [1, 2]);
    expect(owned(ledger)).toEqual([0, 0, 512, 512]);
  });
});

describe('slots of nodes that serve', () => {
  it('leave a drain at 0.5 % of the slots a minute; it lasts as long as that takes, and ends as planned', () => {
    const ledger = aZoneOf(4, { counts: full() });

    leave(ledger, [1], 'drain', at(60));

    expect(owned(ledger)[0]).toBe(256 - Math.floor(movedAMinute));
    const done = rest(ledger, at(60));
    expect(done).toBeGreaterThanOrEqual(at(60 + 60 * Math.floor((256 - movedAMinute) / movedAMinute)));
    expect(owned(ledger)[0]).toBe(0);
  });

  it('go to a newcomer at the same pace until it has its share', () => {
    const ledger = aZoneOf(3, { counts: full() });

    bringUp(ledger, [4], { now: at(60) });

    expect(owned(ledger)[3]).toBe(Math.floor(movedAMinute));
    rest(ledger, at(60));
    expect(owned(ledger)[3]).toBe(256);
  });

  it('wait when as many are in flight as a node has, until it confirms or half an hour is over', () => {
    const ledger = aZoneOf(20, { counts: full() });
    leave(ledger, [1], 'drain', at(60));
    leave(ledger, [2], 'drain', at(61));
    const waiting = (): number => owned(ledger)[0]! + owned(ledger)[1]!;
    for (let second = 90; second <= 60 + 25 * 60; second += 30) ledger.plan(at(second));
    const stuck = waiting();
    // 10 % of 1,024 slots are in flight, of two nodes with 51 and 52.
    expect(stuck).toBe(Math.max(0, 51 + 52 - 102));
  });
});

/**
 * The last plan of these asks for more four times: to look around, for a node to follow, for those in flight, and for
 * those that lose slots.
 */
const askingOften = [
  { what: 'drain', after: 1, n: 1 },
  { what: 'lose', after: 1, n: 0 },
  { what: 'lose', after: 19, n: 2 },
  { what: 'lose', after: 258, n: 0 },
  { what: 'lose', after: 310, n: 0 },
  { what: 'drain', after: 332, n: 3 },
];

describe('whatever happens', () => {
  it('no more slots with clients leave nodes that serve, or lost ones beyond the whole ones, than the budgets let in any time', () => {
    const happening = fc.record({
      what: fc.constantFrom('lose', 'drain', 'join', 'wait'),
      after: fc.integer({ min: 1, max: 400 }),
      n: fc.nat(7),
    });
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), (story) => {
        // Slots for sixteen nodes: they are not split meanwhile.
        const ledger = aZoneOf(6, { slots: 4 * slots, counts: new Uint16Array(4 * slots).fill(10) });
        const gave: { at: EpochMs; slots: number }[] = [];
        let [second, next] = [60, 7];
        for (const { what, after, n } of story) {
          second += after;
          const before = ledger.zone;
          tell(ledger, what, what === 'join' ? next++ : (n % 6) + 1, at(second));
          const planned = moved(before.map, ledger.zone.map).filter(({ from }) => serves(standingAt(ledger.zone.head.roster, from)));
          gave.push({ at: at(second), slots: planned.length });
        }
        for (const [first, { at: from }] of gave.entries())
          for (let last = first, sum = 0; last < gave.length; last++) {
            sum += gave[last]!.slots;
            expect(sum).toBeLessThanOrEqual(((gave[last]!.at - from) / minuteMs + 1) * 4 * movedAMinute + 1);
          }
      }),
      { numRuns: 30, examples: [[askingOften]] },
    );
  });
});

function tell(ledger: Ledger, what: string, n: number, now: EpochMs): void {
  for (const { id } of ledger.nodes()) ledger.release(id);
  const status = ledger.nodes().find(({ id }) => id === nodeId(n))?.status;
  if (what === 'lose' && status === 'up') lose(ledger, [n], now);
  else if (what === 'drain' && status === 'up') leave(ledger, [n], 'drain', now);
  else if (what === 'join') bringUp(ledger, [n], { now });
  else ledger.plan(plusMs(now, 0));
}

describe('slots in flight', () => {
  it('are stored in 12 B a node and read back, at most 1.2 KB', () => {
    const flights = fc.array(
      fc.record({ index: fc.nat(65_534), slots: fc.integer({ min: 1, max: 65_535 }), version: fc.nat(2 ** 31), until: fc.nat(2 ** 31) }),
      { maxLength: flightsMax },
    );
    fc.assert(
      fc.property(flights, (some) => {
        const flying = some.map((one) => ({ ...one, until: (one.until * 1000) as EpochMs }));
        const stored = encodeFlights(flying);
        expect(flightsOf({ inFlight: stored })).toEqual(flying);
        expect(stored.length).toBeLessThanOrEqual(1_200);
      }),
    );
  });
});
