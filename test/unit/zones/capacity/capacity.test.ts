import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minuteMs, plusMs } from '../../../../lib/core/time.ts';
import { clientsMax, zoneCapacity } from '../../../../lib/zones/capacity/crowding.ts';
import { emptyMap, nobody, slotsMin } from '../../../../lib/zones/map/rows/slots.ts';
import { type Placing, place } from '../../../../lib/zones/placing/place.ts';
import { at, aZone, nodeId } from '../../../../tools/support/builders.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf, hear, lose, rest } from '../members.ts';

/** A zone at any moment: who is there, gone or new, what each declares, and who owns what. */
const someZone = fc
  .record({
    nodes: fc.array(
      fc.record({
        state: fc.constantFrom('up', 'up', 'up', 'gone', 'draining', 'joins', 'returns'),
        weight: fc.constantFrom(0.5, 1, 2),
        capacity: fc.option(fc.integer({ min: 1, max: 4_000 }), { nil: undefined }),
        pinned: fc.constantFrom(0, 0, 50, 1_500),
      }),
      { minLength: 1, maxLength: 9 },
    ),
    counts: fc.array(fc.nat(12), { minLength: 16, maxLength: 64 }),
    owners: fc.array(fc.nat(9), { minLength: 16, maxLength: 64 }),
    homes: fc.array(fc.nat(9), { minLength: 16, maxLength: 64 }),
    balances: fc.boolean(),
  })
  .map(({ nodes, counts, owners, homes, balances }) => {
    const map = emptyMap(slotsMin);
    const pick = (from: readonly number[], slot: number) => {
      const index = from[(slot * 7 + (slot >> 5)) % from.length]!;
      return index < nodes.length ? index : nobody;
    };
    for (let slot = 0; slot < slotsMin; slot++) {
      map.owner[slot] = pick(owners, slot);
      map.home[slot] = pick(homes, slot);
    }
    const is = (index: number, ...states: string[]) => states.includes(nodes[index]?.state ?? '');
    const indexes = nodes.map((_, index) => index);
    const placing: Placing = {
      map,
      counts: Uint16Array.from({ length: slotsMin }, (_, slot) => counts[slot % counts.length]!),
      pinned: (index) => nodes[index]?.pinned ?? 0,
      weights: nodes.map(({ weight }, index) => (is(index, 'gone', 'draining') ? 0 : weight)),
      leaves: (index) => is(index, 'gone', 'draining'),
      forgotten: (index) => is(index, 'gone'),
      tells: (index) => !is(index, 'gone'),
      returning: indexes.filter((index) => is(index, 'returns')),
      joining: indexes.filter((index) => is(index, 'joins')),
      donorsMax: 30,
      clientsMax: (index) => clientsMax(nodes[index]?.capacity),
      balances: () => balances,
    };
    return placing;
  });

/** The client systems of each node, by slots and by pins. */
const clientsOn = ({ counts, pinned, weights }: Placing, owner: Uint16Array): Map<number, number> => {
  const on = new Map(weights.map((_, index) => [index, pinned!(index)]));
  for (const [slot, index] of owner.entries()) on.set(index, (on.get(index) ?? 0) + counts[slot]!);
  return on;
};

describe('whatever is placed', () => {
  it('fills no node beyond what it is given at most, moves nobody onto one that has more already, and loses nobody', () => {
    fc.assert(
      fc.property(someZone, (placing) => {
        const { moves, crowded } = place(placing);
        const owner = placing.map.owner.slice();
        for (const move of moves) owner[move.slot] = move.owner;
        const [before, after] = [clientsOn(placing, placing.map.owner), clientsOn(placing, owner)];
        for (const [index, clients] of after) {
          if (index === nobody) continue;
          expect(clients).toBeLessThanOrEqual(Math.max(placing.clientsMax!(index), before.get(index) ?? 0));
        }
        for (const { from, owner: to } of moves) if (from !== to) expect(placing.weights[to]).toBeGreaterThan(0);
        // Whoever must leave and has not is noted, if there is anybody to go to: all of them, and nobody else.
        const stuck = [...owner.entries()].filter(
          ([slot, index]) =>
            placing.counts[slot]! > 0 && (index === nobody || placing.leaves(index)) && placing.weights.some((one) => one > 0),
        );
        expect(crowded.toSorted()).toEqual(stuck.map(([slot]) => placing.counts[slot]!).toSorted());
      }),
      { numRuns: 100 },
    );
  });

  it('gives what a node declares too little for to others that have room', () => {
    const map = emptyMap(slotsMin);
    map.owner.fill(0);
    map.home.fill(0);
    const counts = new Uint16Array(slotsMin).fill(2);
    const common = { map, counts, weights: [1, 1], forgotten: () => false, tells: () => true, returning: [], joining: [], donorsMax: 30 };
    const limits = [1_000, 4_000];
    expect(place({ ...common, leaves: () => false, clientsMax: (index) => limits[index]!, weights: [1, 0] }).moves).toEqual([]);

    const relieved = place({ ...common, leaves: () => false, clientsMax: (index) => limits[index]! });

    expect(relieved.moves.filter(({ owner }) => owner === 1).length).toBeGreaterThanOrEqual(524);
    expect(relieved.moves.every(({ owner, home }) => owner === 1 && home === 1)).toBe(true);
  });
});

const declare = (ledger: Ledger, n: number, capacity: number): void =>
  ledger.put({ ...ledger.node(nodeId(n)), capacity, awaitsPlan: true });

describe('a node that has more clients than it is to be given', () => {
  const overfull = (mode: 'production' | 'recovery') => {
    const ledger = aZoneOf(2, { counts: new Uint16Array(slotsMin).fill(10) });
    ledger.setHead({ mode });
    declare(ledger, 1, 5_100);
    return ledger;
  };
  const slotsOf = (ledger: Ledger) => [...ledger.zone.map.owner].filter((index) => index === 0).length;

  it('gives slots away until it is filled to 97 % of what it declares, as fast as planned moves may go, and then rests', () => {
    const ledger = overfull('production');
    expect(slotsOf(ledger)).toBe(512);

    const given = Array.from({ length: 10 }, (_, minute) => {
      const before = slotsOf(ledger);
      ledger.plan(at(60 * (minute + 1)));
      ledger.release(nodeId(1));
      return before - slotsOf(ledger);
    });

    expect(given).toEqual([5, 5, 5, 3, 0, 0, 0, 0, 0, 0]);
    expect(slotsOf(ledger) * 10).toBeLessThanOrEqual(clientsMax(5_100));
  });

  it('leaves the rest to the others, whose shares are then even: nothing moves any more', () => {
    const ledger = aZoneOf(4, { counts: Uint16Array.from({ length: slotsMin }, (_, slot) => [0, 0, 1, 7, 3][slot % 5]!) });
    declare(ledger, 1, 200);
    const settled = rest(ledger, at(60));
    for (let minute = 0; minute < 120; minute++) ledger.plan(plusMs(settled, minute * minuteMs));
    const { map, head } = ledger.zone;
    expect(Object.keys(head.budgets)).toEqual(['movedUntil']);
    for (let minute = 120; minute < 600; minute++) ledger.plan(plusMs(settled, minute * minuteMs));

    expect(ledger.zone.map).toEqual(map);
    expect(ledger.zone.head).toEqual(head);
  });

  it('keeps them in recovery mode, in which nobody moves but the clients of lost nodes', () => {
    const ledger = overfull('recovery');
    for (let minute = 1; minute <= 5; minute++) ledger.plan(at(60 * minute));
    expect(slotsOf(ledger)).toBe(512);
  });
});

describe('the slots of a lost node for which no other has room', () => {
  const crowdedZone = (capacity: number) => {
    const ledger = aZoneOf(3, { counts: new Uint16Array(slotsMin).fill(10) });
    for (const n of [1, 2, 3]) declare(ledger, n, capacity);
    ledger.plan(at(30));
    return ledger;
  };

  it('wait where they are, and the zone says so; those that fit go', () => {
    const ledger = crowdedZone(4_000);

    const { changes, because } = lose(ledger, [3]);

    const { owner } = ledger.zone.map;
    const waiting = [...owner].filter((index) => index === 2).length;
    const room = 2 * 3_880 - [...owner].filter((index) => index !== 2).length * 10;
    expect(waiting).toBeGreaterThan(0);
    expect(room).toBeLessThan(20);
    expect(ledger.zone.head.crowded).toEqual({ since: at(60), slots: waiting, clients: waiting * 10 });
    expect(because.at(-1)).toBe(
      `rule 15: no node has room for ${waiting} slots with about ${waiting * 10} client systems, since each is filled to 97 % of its capacity: they wait where they are`,
    );
    const head = changes[0]!.decision;
    expect(head.does === 'write' && head.events.at(-1)).toEqual({
      type: 'zone.crowded',
      version: 1,
      data: { zone: 'default', slots: waiting, about: waiting * 10 },
    });
    expect(head.does === 'write' && head.wakeAt).toBe(at(120));
  });

  it('go as soon as there is room, and the zone says that, too', () => {
    const ledger = crowdedZone(4_000);
    lose(ledger, [3]);
    for (const n of [1, 2]) declare(ledger, n, 6_000);

    const { changes } = ledger.plan(at(60 + 600));

    expect([...ledger.zone.map.owner]).not.toContain(2);
    expect(ledger.zone.head).not.toHaveProperty('crowded');
    const head = changes[0]!.decision;
    expect(head.does === 'write' && head.events.map(({ type }) => type)).toContain('zone.relieved');
  });

  it('are its own again when it is back', () => {
    const ledger = crowdedZone(4_000);
    const before = ledger.zone.map;
    lose(ledger, [3]);

    hear(ledger, [3]);

    expect(ledger.zone.map).toEqual(before);
    expect(ledger.zone.head).not.toHaveProperty('crowded');
  });
});

describe('what a zone takes', () => {
  const withCapacities = (capacities: readonly (number | undefined)[], given: Parameters<typeof aZone>[0] = {}) => {
    const zone = aZone({ nodes: capacities.map(() => ({})), ...given });
    return {
      ...zone,
      members: zone.members.map((one, n) => (capacities[n] === undefined ? one : { ...one!, capacity: capacities[n] })),
    };
  };

  it('is 97 % of what its nodes declare, each by itself', () =>
    expect(zoneCapacity(withCapacities([100, 1_000, 1]), at(0))).toEqual({ declared: 1_101, clientsMax: 97 + 970 + 1 }));

  it('is any number while one of them declares nothing, or there is none', () => {
    expect(zoneCapacity(withCapacities([100, undefined]), at(0))).toBeUndefined();
    expect(zoneCapacity(withCapacities([]), at(0))).toBeUndefined();
  });

  it('is of those alone that its clients live on now', () => {
    const nodes = [{}, { standing: 'dropped' }, { standing: 'draining' }, { standing: 'down' }, { standing: 'held' }] as const;
    const kept = { head: { kept: [{ index: 3, since: at(0), until: at(600) }] } };
    const capacities = [100, undefined, undefined, 200, 400];
    expect(zoneCapacity(withCapacities(capacities, { nodes, ...kept }), at(0))?.declared).toBe(700);
    expect(zoneCapacity(withCapacities(capacities, { nodes, ...kept }), at(600))?.declared).toBe(500);
  });
});
