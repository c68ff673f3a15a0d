import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hourMs, plusMs } from '../../../../lib/core/time.ts';
import { Board } from '../../../../lib/zones/map/board.ts';
import { emptyMap } from '../../../../lib/zones/map/rows/slots.ts';
import { evenBelow, evennessOf, evenOut } from '../../../../lib/zones/placing/balance.ts';
import { at } from '../../../../tools/support/builders.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf, bringUp, drop, moved, owned, rest } from '../members.ts';

const slots = 1_024;

/** Four nodes, even; then the first one's slots have so many times the clients of the others. */
function uneven(times: number, each = 40): Ledger {
  const ledger = aZoneOf(4, { counts: new Uint16Array(slots).fill(each) });
  ledger.counts = Uint16Array.from(ledger.zone.map.owner, (owner) => (owner === 0 ? Math.round(each * times) : each));
  return ledger;
}

const ratioOf = ({ zone, counts }: Ledger): number => evennessOf(new Board(zone.map, counts, [1, 1, 1, 1])).ratio;

/**
 * Four nodes with 256 slots each, none of which has anybody but those that are chosen of each node's own, one client
 * system each.
 */
function withClients(chosen: (slots: readonly number[], index: number) => readonly number[]): Ledger {
  const ledger = aZoneOf(4, { counts: new Uint16Array(slots) });
  const counts = new Uint16Array(slots);
  const slotsOf = (index: number): number[] => [...counts.keys()].filter((slot) => ledger.zone.map.owner[slot] === index);
  for (const index of [0, 1, 2, 3]) for (const slot of chosen(slotsOf(index), index)) counts[slot] = 1;
  ledger.counts = counts;
  return ledger;
}

/** How many client systems each of the nodes has. */
const clientsOf = ({ zone, counts }: Ledger): number[] =>
  owned({ zone } as Ledger).map((_, index) =>
    zone.map.owner.reduce((sum, owner, slot) => sum + (owner === index ? (counts[slot] ?? 0) : 0), 0),
  );

describe('a zone of few client systems', () => {
  it('is evened out as any other is, at the budget, and every node has as many slots as before for those to come', () => {
    const ledger = withClients((own, index) => own.slice(0, index === 0 ? 64 : 32));
    const before = ledger.zone.map;

    for (const second of [60, 360]) ledger.plan(at(second), []);
    expect(clientsOf(ledger)).toEqual([59, expect.any(Number), expect.any(Number), expect.any(Number)]);
    rest(ledger, at(360));

    for (const clients of clientsOf(ledger)) expect(Math.abs(clients - 40)).toBeLessThanOrEqual(1);
    for (const slots of owned(ledger)) expect(Math.abs(slots - 256)).toBeLessThanOrEqual(8);
    expect(moved(before, ledger.zone.map).filter(({ slot }) => ledger.counts[slot] === 1)).toHaveLength(23);
  });

  it('gives a node that comes back as new its share of them, and not of empty slots alone', () => {
    const ledger = withClients((own) => own.filter((_, n) => n % 3 === 0));
    drop(ledger, [4], at(60));

    bringUp(ledger, [5], { now: at(7_200) });
    rest(ledger, at(7_200));

    const fair = clientsOf(ledger).reduce((sum, one) => sum + one) / 4;
    expect(clientsOf(ledger)[4]).toBeGreaterThanOrEqual(0.95 * fair);
    expect(Math.abs(owned(ledger)[4]! - 256)).toBeLessThanOrEqual(8);
  });
});

describe('a zone that is uneven', () => {
  it('is left alone for five minutes, the head being due then, and then balanced at the budget until the fullest is within 3 %', () => {
    const ledger = uneven(1.4);
    const before = ledger.zone.map;

    const { changes } = ledger.plan(at(60), []);
    expect(changes.map(({ decision }) => decision)).toMatchObject([{ does: 'write', wakeAt: at(360) }]);
    ledger.plan(at(359), []);
    expect(ledger.zone.map).toEqual(before);
    ledger.plan(at(360), []);

    expect(moved(before, ledger.zone.map)).toHaveLength(5);
    expect(ledger.zone.head.budgets.balancing).toBe(true);
    rest(ledger, at(360));
    expect(ratioOf(ledger)).toBeLessThanOrEqual(evenBelow);
    expect(moved(before, ledger.zone.map).every(({ from }) => from === 0)).toBe(true);
  });

  it('has its clients at home where they are once it is balanced, and rests for an hour', () => {
    const ledger = uneven(1.4);
    for (const second of [60, 360]) ledger.plan(at(second), []);
    const done = rest(ledger, at(360));
    expect(ledger.zone.map.home).toEqual(ledger.zone.map.owner);

    const { restsUntil } = ledger.zone.head.budgets;
    expect(restsUntil).toBeGreaterThanOrEqual(plusMs(done, hourMs - 60_000));
    ledger.counts = Uint16Array.from(ledger.zone.map.owner, (owner) => (owner === 1 ? 70 : 40));
    const balanced = ledger.zone.map;
    for (const minutes of [1, 7, 30, 55]) ledger.plan(plusMs(done, minutes * 60_000), []);
    expect(ledger.zone.map).toEqual(balanced);
    ledger.plan(restsUntil!, []);
    expect(moved(balanced, ledger.zone.map).length).toBeGreaterThan(0);
  });

  it.each([
    ['by less than a tenth', () => uneven(1.09)],
    ['by one client system', () => withClients(([first]) => [first!])],
    ['in recovery mode', () => recovering(uneven(1.4))],
  ])('%s is left alone', (_how, made) => {
    const ledger = made();
    const before = ledger.zone.map;
    for (let minute = 1; minute < 30; minute++) ledger.plan(at(60 * minute), []);
    expect(ledger.zone.map).toEqual(before);
  });

  it('for four minutes only is left alone', () => {
    const ledger = uneven(1.4);
    const [before, high] = [ledger.zone.map, ledger.counts];
    for (let minute = 1; minute < 40; minute++) {
      ledger.counts = minute % 4 === 0 ? new Uint16Array(slots).fill(40) : high;
      ledger.plan(at(60 * minute), []);
    }
    expect(ledger.zone.map).toEqual(before);
  });
});

/** The same zone in recovery mode. */
function recovering(ledger: Ledger): Ledger {
  ledger.zone = { ...ledger.zone, head: { ...ledger.zone.head, mode: 'recovery' } };
  return ledger;
}

describe('evening out', () => {
  it('makes no node fuller than the fullest was, moves only what is at home, and ends even or where no move helps', () => {
    const map = fc.array(fc.record({ owner: fc.nat(4), isHome: fc.boolean(), clients: fc.nat(50) }), { minLength: 64, maxLength: 64 });
    fc.assert(
      fc.property(map, fc.array(fc.constantFrom(1, 2, 5), { minLength: 5, maxLength: 5 }), (cells, weights) => {
        const before = emptyMap(64);
        for (const [slot, { owner, isHome }] of cells.entries()) [before.owner[slot], before.home[slot]] = [owner, isHome ? owner : 9];
        const board = new Board(
          before,
          cells.map(({ clients }) => clients),
          weights,
        ).byClients();
        const was = evennessOf(board).ratio;

        expect(evenOut(board, () => true, { may: (slot) => board.clientsIn(slot) > 0 })).toBe(true);

        expect(evennessOf(board).ratio).toBeLessThanOrEqual(was + 1e-9);
        for (const { slot } of board.moves()) expect(cells[slot]!.isHome).toBe(true);
      }),
    );
  });
});
