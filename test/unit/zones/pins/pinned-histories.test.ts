import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goesBySlot } from '../../../../lib/clients/rows/status.ts';
import { type EpochMs, plusMs } from '../../../../lib/core/time.ts';
import { nobody, slotOf, slotsMin } from '../../../../lib/zones/map/rows/slots.ts';
import { pinsNow } from '../../../../lib/zones/pins/follow.ts';
import { hadBy, type PinnedNode } from '../../../../lib/zones/pins/pins.ts';
import { at, fpOf, nodeId } from '../../../../tools/support/builders.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf, hear, leave, lose, moved, stayUp } from '../members.ts';

const nodes = 5;
/** A client system, and the node that it is pinned to; its index is one less than its number. */
type Client = { readonly fp: string; readonly pin: number; readonly soft: boolean };
const somebody = fc.record({
  name: fc.nat(100_000),
  pin: fc.constantFrom(nobody, nobody, 0, 1, 2, 3, 4),
  soft: fc.boolean(),
});
const everybody = fc
  .uniqueArray(somebody, { selector: ({ name }) => name, minLength: 20, maxLength: 120 })
  .map((all) => all.map(({ name, ...rest }): Client => ({ fp: fpOf(name), ...rest })));
const doings = ['lose', 'hear', 'drain', 'stay', 'wait', 'count', 'freeze', 'thaw'] as const;
const doing = fc.record({ does: fc.constantFrom(...doings), n: fc.integer({ min: 1, max: nodes }) });

/** How many are pinned to each node. */
const rowsOf = (clients: readonly Client[]): PinnedNode[] =>
  Array.from({ length: nodes }, (_, index) => {
    const its = clients.filter(({ pin }) => pin === index);
    return { index, hard: its.filter(({ soft }) => !soft).length, soft: its.filter(({ soft }) => soft).length };
  }).filter(({ hard, soft }) => hard + soft > 0);

/** Counts those who go by their slots, as the sweep does. */
function count(ledger: Ledger, clients: readonly Client[], now: EpochMs): void {
  const counts = new Uint16Array(slotsMin);
  for (const one of clients) if (goesBySlot(ledger.zone, one)) counts[slotOf(one.fp, slotsMin)]!++;
  ledger.counts = counts;
  ledger.countedAt = now;
}

/** A zone of five nodes with these client systems, counted. */
function aZoneWith(clients: readonly Client[], pins = rowsOf(clients)): Ledger {
  const ledger = aZoneOf(nodes);
  ledger.setHead({ remapAtOnce: true, brakes: { calmedAt: at(1_000_000) } });
  if (pins.length > 0) ledger.setPins(pins);
  count(ledger, clients, at(1));
  return ledger;
}

/** One thing that happens; whatever cannot happen to a node as it is does not. */
function happen(ledger: Ledger, clients: readonly Client[], { does, n }: { does: (typeof doings)[number]; n: number }, now: EpochMs): void {
  const { status } = ledger.node(nodeId(n));
  if (does === 'count') count(ledger, clients, now);
  if (does === 'freeze' || does === 'thaw')
    ledger.setHead({ brakes: { calmedAt: at(1_000_000), ...(does === 'freeze' && { freeze: 'moves' }) } });
  if (does === 'lose' && status === 'up') lose(ledger, [n], now);
  else if (does === 'hear' && status === 'down') hear(ledger, [n], now);
  else if (does === 'drain' && status === 'up') leave(ledger, [n], 'drain', now);
  else if (does === 'stay' && status === 'leaving') stayUp(ledger, [n], now);
  else ledger.plan(now, []);
}

const always = (holds: (ledger: Ledger, clients: readonly Client[], now: EpochMs) => void): void =>
  fc.assert(
    fc.property(everybody, fc.array(doing, { minLength: 5, maxLength: 25 }), (clients, history) => {
      const ledger = aZoneWith(clients);
      history.forEach((one, n) => {
        const now = at(60 * (n + 1));
        happen(ledger, clients, one, now);
        holds(ledger, clients, now);
      });
    }),
    { numRuns: 60 },
  );

describe('after any sequence of plans', () => {
  it('a pinned client system is with a node by its pin or goes by its slot, never both', () => {
    always(({ zone }, clients) => {
      const bySlot = clients.filter((one) => goesBySlot(zone, one)).length;
      expect(bySlot + [...zone.pins.values()].reduce((sum, one) => sum + hadBy(one), 0)).toBe(clients.length);
    });
  });

  it('a plan weighs each client system once, however old the count is', () => {
    always((ledger, clients, now) => {
      const { counts, load } = pinsNow(ledger.snapshot([]), { round: [], retained: ledger.zone.head.kept ?? [], letGoMax: 30 }, now);
      const pinned = Array.from({ length: nodes }, (_, index) => load(index)).reduce((sum, one) => sum + one, 0);
      const slots = Array.from(counts).reduce((sum, one) => sum + one, 0);
      expect(pinned + slots).toBeCloseTo(clients.length, 6);
    });
  });
});

describe('a node that comes back', () => {
  it('leaves no slot with clients empty in the eyes of a plan, although more are pinned to it than were counted', () => {
    const ledger = aZoneOf(2);
    ledger.counts = Uint16Array.from({ length: slotsMin }, (_, slot) => (slot < 3 ? 1 : 0));
    ledger.countedAt = at(1);
    ledger.setPins([{ index: 0, hard: 0, soft: 5, backAt: at(2) }]);

    const { counts } = pinsNow(ledger.snapshot([]), { round: [], retained: [], letGoMax: 30 }, at(3));

    expect(Array.from(counts).filter((clients) => clients > 0)).toHaveLength(3);
  });
});

describe('a pin', () => {
  it('moves no slot of a zone at rest, whoever is pinned where, before it has been uneven for five minutes', () => {
    fc.assert(
      fc.property(everybody, (clients) => {
        const ledger = aZoneWith(clients, []);
        ledger.plan(at(60), []);
        const before = ledger.zone.map;
        ledger.setPins(rowsOf(clients));
        count(ledger, clients, at(61));
        for (let n = 2; n <= 5; n++) ledger.plan(at(60 * n), []);
        expect(moved(before, ledger.zone.map)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('makes no slot move that would not move without it when a node is lost and comes back', () => {
    fc.assert(
      fc.property(everybody, fc.integer({ min: 1, max: nodes }), (clients, n) => {
        const [ledger, without] = [aZoneWith(clients), aZoneWith(clients, [])];
        const before = ledger.zone.map;
        const which = (one: Ledger) => moved(before, one.zone.map).map(({ slot, from }) => [slot, from]);
        for (const one of [ledger, without]) lose(one, [n], at(120));
        expect(which(ledger)).toEqual(which(without));
        expect(which(ledger).every(([, from]) => from === n - 1)).toBe(true);

        hear(ledger, [n], plusMs(at(120), 60_000));

        expect(ledger.zone.map).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });
});
