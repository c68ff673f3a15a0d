import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goesBySlot, ownerOf, type Placed, placedStatus, placeFor, waitsFor } from '../../../lib/clients/rows/status.ts';
import { nobody, slotOf } from '../../../lib/zones/map/rows/slots.ts';
import { type Standing, serves, standings } from '../../../lib/zones/map/rows/standing.ts';
import { leftTurnOf, loadPins, pinsChanged, pinTurnOf } from '../../../lib/zones/pins/pins.ts';
import { at, aZone, fpOf, noon } from '../../../tools/support/builders.ts';

const asked = { now: noon };
const anyStanding = fc.constantFrom<Standing>('joining', 'up', 'suspect', 'draining', 'held', 'down', 'dropped', 'quarantined');
const anyZone = fc.record({ standings: fc.array(anyStanding, { minLength: 3, maxLength: 3 }), owner: fc.integer({ min: 0, max: 2 }) });
const anyTold = fc.option(
  fc.record({ index: fc.integer({ min: 0, max: 2 }), generation: fc.constantFrom(1, 2), confirmed: fc.boolean() }),
  {
    nil: undefined,
  },
);
const anyCase = fc.record({ zone: anyZone, pin: fc.integer({ min: 0, max: 2 }), told: anyTold, name: fc.integer(), away: fc.boolean() });
type Case = (typeof anyCase extends fc.Arbitrary<infer T> ? T : never) & { readonly queue?: boolean };

const zoneOf = ({ zone, pin, away, queue }: Case) =>
  aZone({
    nodes: zone.standings.map((standing) => ({ standing })),
    owner: () => zone.owner,
    pins: loadPins({
      version: 1,
      nodes: [
        {
          index: pin,
          hard: 1,
          soft: 1,
          ...(away && { awayAt: noon }),
          ...(queue && { queue: { at: at(60), clients: 10, everyMs: 15_000 } }),
        },
      ],
    }),
  });
const placed = (it: Case, how: 'hard' | 'soft' | 'none'): Placed => ({
  fp: fpOf(it.name),
  pin: how === 'none' ? nobody : it.pin,
  soft: how === 'soft',
  told: it.told,
});
const all = (holds: (it: Case) => void) => fc.assert(fc.property(anyCase, holds), { numRuns: 500 });

describe('a client system that is pinned hard', () => {
  it('is told its node or none, and is onboarded nowhere else', () => {
    all((it) => {
      const [zone, who] = [zoneOf(it), placed(it, 'hard')];
      expect([it.pin, undefined]).toContain(placeFor(zone, who, asked));
      if (placedStatus(zone, who, asked) === 'onboarded') expect(it.told?.index).toBe(it.pin);
    });
  });

  it('is onboarded on its node for as long as that serves, whoever owns its slot', () => {
    all((it) => {
      const who = placed({ ...it, told: { index: it.pin, generation: 1, confirmed: true } }, 'hard');
      const isServed = serves(standings[it.zone.standings[it.pin]!]);
      expect(placedStatus(zoneOf(it), who, asked)).toBe(isServed ? 'onboarded' : 'orphan');
    });
  });
});

describe('a client system that is pinned softly', () => {
  it('is as one that is not pinned while its node is away, and as one that is pinned hard else', () => {
    all((it) => {
      const zone = zoneOf(it);
      const as = placed(it, it.away ? 'none' : 'hard');
      const who = placed(it, 'soft');
      expect(goesBySlot(zone, who)).toBe(it.away);
      expect([ownerOf(zone, who), placeFor(zone, who, asked)]).toEqual([ownerOf(zone, as), placeFor(zone, as, asked)]);
      // Both its pin and the home of its slot are where it may be held.
      if (placedStatus(zone, as, asked) === 'onboarded') expect(placedStatus(zone, who, asked)).toBe('onboarded');
    });
  });
});

describe('a client system that is not pinned', () => {
  it('is as if nobody were', () => {
    all((it) => {
      const [zone, who] = [zoneOf({ ...it, queue: true }), placed(it, 'none')];
      const without = { ...zone, pins: loadPins(undefined) };
      expect([placedStatus(zone, who, asked), placeFor(zone, who, asked)]).toEqual([
        placedStatus(without, who, asked),
        placeFor(without, who, asked),
      ]);
    });
  });
});

describe('a queue of pinned client systems', () => {
  it('keeps each where it is until its turn, and then sends it to its node', () => {
    all((it) => {
      const zone = zoneOf({ ...it, away: false, queue: true, zone: { ...it.zone, standings: ['up', 'up', 'up'] } });
      const other = (it.pin + 1) % 3;
      const who = placed({ ...it, told: { index: other, generation: 1, confirmed: true } }, 'hard');
      const turn = pinTurnOf(zone.pins, it.pin, who.fp)!;
      const before = { now: (turn - 1) as typeof noon };
      expect([placedStatus(zone, who, before), placeFor(zone, who, before)]).toEqual(['onboarded', other]);
      expect([placedStatus(zone, who, { now: turn }), placeFor(zone, who, { now: turn })]).toEqual(['orphan', it.pin]);
    });
  });
});

describe('a pin to a node that joined anew', () => {
  it('is to its new index', () => {
    const zone = aZone({
      nodes: [{ standing: 'dropped' }, {}, {}],
      pins: loadPins({ version: 1, nodes: [{ index: 0, to: 2, hard: 1, soft: 0 }] }),
    });
    const who = { fp: fpOf('web'), pin: 0, soft: false, told: undefined };
    expect([ownerOf(zone, who), placeFor(zone, who, asked)]).toEqual([2, 2]);
  });
});

describe('the queue of those who are pinned no more', () => {
  const none = { hard: 0, soft: 0, coming: 0, leaving: 0 };
  const everyMs = 5_000;
  const around = (busyUntil = noon, each = everyMs) => ({
    hostOf: (index: number) => ({ index, awayAt: undefined, everyMs: 3 * each }),
    elsewhere: { everyMs: each, busyUntil },
  });
  const before = { version: 1, nodes: [0, 1].map((index) => ({ index, hard: 50, soft: 0 })) };
  const letGo = (index: number, count: number) => ({ ...none, index, hard: -count, leaving: count });

  it('is one, whatever nodes they leave, begins behind everybody who waits, and keeps its beginning', () => {
    const first = pinsChanged(before, [letGo(0, 20)], around(at(100)), noon);
    expect(first.nodes).toEqual([
      { index: 0, hard: 30, soft: 0, left: { at: at(100), clients: 20, everyMs } },
      { index: 1, hard: 50, soft: 0 },
    ]);
    const second = pinsChanged(first, [letGo(1, 50)], around(), at(10));
    const left = { at: at(100), clients: 70, everyMs };
    expect(second.nodes.map((node) => node.left)).toEqual([left, left]);
    // Nobody is pinned to the second any more, and some leave it until the end.
    expect(pinsChanged(second, [letGo(0, 30)], around(), at(449)).nodes.map(({ index }) => index)).toEqual([0, 1]);
    expect(pinsChanged(second, [{ ...letGo(0, 30), leaving: 0 }], around(), at(450)).nodes).toEqual([]);
  });

  it('stays as it is while no node admits, and is none where they admit any number', () => {
    const first = pinsChanged(before, [letGo(0, 20)], around(), noon);
    expect(pinsChanged(first, [letGo(0, 5)], around(noon, 0), at(1)).nodes[0]).toMatchObject({ left: { clients: 20 } });
    expect(pinsChanged(before, [letGo(0, 20)], around(noon, 0), noon).nodes[0]).not.toHaveProperty('left');
  });

  it('is not for those whose slots were moved from their node and have turns of their own, nor for those whose slot is its', () => {
    const left = { at: noon, clients: 1_000, everyMs };
    const pins = loadPins({ version: 1, nodes: [{ index: 0, hard: 0, soft: 0, left }] });
    const fp = fpOf('far behind');
    const who = { fp, pin: nobody, soft: false, told: { index: 0, generation: 1, confirmed: true } };
    const zone = aZone({ nodes: [{}, {}], owner: () => 1, pins });
    const turn = leftTurnOf(pins, 0, fp)!;
    expect(turn).toBeGreaterThan(at(30));
    expect(waitsFor(zone, who, noon)).toBe(turn);
    const moved = { slots: zone.head.slots, of: new Map([[slotOf(fp, zone.head.slots), { at: at(20), clients: 1, everyMs, from: 0 }]]) };
    expect(waitsFor({ ...zone, turns: moved }, who, noon)).toBe(at(20));
    expect(waitsFor(aZone({ nodes: [{}, {}], owner: () => 0, pins }), who, noon)).toBeUndefined();
  });
});
