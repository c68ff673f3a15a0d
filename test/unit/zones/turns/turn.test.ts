import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayMs, minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { nobody, slotOf } from '../../../../lib/zones/map/rows/slots.ts';
import { type Admitting, type Queueing, queued, splitTo } from '../../../../lib/zones/turns/queue.ts';
import { loadSchedule, type SchedulePage, scheduleChanges } from '../../../../lib/zones/turns/rows/pages.ts';
import { type AdmissionSchedule, emptySchedule, endOf, fractionOf, type SlotTurn, turnOf } from '../../../../lib/zones/turns/turn.ts';
import { at, fpOf, noon } from '../../../../tools/support/builders.ts';

const slots = 1_024;
const everyMs = 15 * secondMs;

/** Node 0 is lost, node 1 takes its slots and admits one in 15 s, unless told otherwise. */
const queueing = (given: Partial<Queueing> = {}): Queueing => ({
  turns: emptySchedule,
  slots,
  ownerOf: () => 1,
  counts: new Uint16Array(slots).fill(1),
  everyMsOf: () => everyMs,
  admits: () => true,
  serves: () => false,
  awayMsOf: () => 0,
  ...given,
});
const moved = (...given: readonly number[]): Admitting[] => given.map((slot) => ({ slot, from: 0, owner: 1 }));
const turn = (given: Partial<SlotTurn> = {}): SlotTurn => ({ at: noon, clients: 1, everyMs, from: 0, ...given });
/** Fingerprints of clients, so many, the first of which is in slot 0 at the beginning of it. */
const clients = (n: number) => Array.from({ length: n }, (_, i) => fpOf(i));

/** The most moments that lie within a window of so many ms. */
function mostWithin(moments: readonly number[], windowMs: number): number {
  const sorted = [...moments].sort((a, b) => a - b);
  return sorted.reduce((most, from, i) => Math.max(most, sorted.slice(i).filter((moment) => moment < from + windowMs).length), 0);
}

describe('the place of a fingerprint in its slot', () => {
  it('is the 16 bits after those of the slot', () => {
    // 1,024 slots are 10 bits: 0xabc is 1010 1011 1100, so that its slot is 10 1010 1111 and what follows begins with
    // 00.
    expect(slotOf(`abc${'0'.repeat(61)}`, 1_024)).toBe(0b1010101111);
    expect(fractionOf(`abc${'0'.repeat(61)}`, 1_024)).toBe(0);
    expect(fractionOf(`abe${'0'.repeat(61)}`, 1_024)).toBe(0.5);
    expect(fractionOf(`abf${'f'.repeat(61)}`, 1_024)).toBe(65_535 / 65_536);
  });

  it('is at least 0 and below 1, whatever the number of slots', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 10, max: 28 }), (n, bits) => {
        const fraction = fractionOf(fpOf(n), 2 ** bits);
        expect(fraction).toBeGreaterThanOrEqual(0);
        expect(fraction).toBeLessThan(1);
      }),
    );
  });
});

describe('turns', () => {
  it('are one after another, each slot taking as long as it has clients', () => {
    const counts = new Uint16Array(slots).fill(1);
    counts[7] = 3;

    const { of } = queued(queueing({ counts }), moved(5, 7, 9), noon);

    expect([...of].map(([slot, { at: begins }]) => [slot, (begins - noon) / everyMs])).toEqual([
      [5, 0],
      [7, 1],
      [9, 4],
    ]);
  });

  it('come to one node no faster than it admits, in any span of time, where the counts are right', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 100_000 }), { maxLength: 60 }), fc.integer({ min: 1, max: 100 }), (names, ticks) => {
        // One client a slot: two in one slot cannot tell who comes first.
        const bySlot = new Map(names.map((name) => [slotOf(fpOf(name), slots), fpOf(name)]));
        const counts = new Uint16Array(slots);
        for (const slot of bySlot.keys()) counts[slot] = 1;
        const turns = queued(queueing({ counts }), moved(...bySlot.keys()), noon);
        const moments = [...bySlot.values()].map((fp) => turnOf(turns, fp)!);

        expect(moments).not.toContain(undefined);
        expect(mostWithin(moments, ticks * everyMs)).toBeLessThanOrEqual(ticks + 1);
        expect(Math.max(noon, ...moments)).toBeLessThanOrEqual(Math.max(noon, ...[...turns.of.values()].map(endOf)));
      }),
    );
  });

  it('of many clients a slot come at about the rate: 4,000 in a node of 64 slots, never 20 more than it in ten minutes', () => {
    const mine = clients(64_000).filter((fp) => slotOf(fp, slots) < 64);
    const counts = new Uint16Array(slots);
    for (const fp of mine) counts[slotOf(fp, slots)]!++;
    const turns = queued(queueing({ counts }), moved(...Array.from({ length: 64 }, (_, slot) => slot)), noon);

    const moments = mine.map((fp) => turnOf(turns, fp)!);

    expect(mostWithin(moments, 10 * minuteMs)).toBeLessThanOrEqual(40 + 20);
    expect(Math.max(...moments)).toBeLessThanOrEqual(noon + mine.length * everyMs);
    expect(Math.max(...moments)).toBeGreaterThan(noon + (mine.length - 70) * everyMs);
  });

  it('are none where the node admits any number, nobody is there, or nobody takes the slot', () => {
    expect(queued(queueing({ everyMsOf: () => 0 }), moved(1, 2), noon).of.size).toBe(0);
    expect(queued(queueing({ counts: new Uint16Array(slots) }), moved(1, 2), noon).of.size).toBe(0);
    expect(queued(queueing(), [{ slot: 1, from: 0, owner: nobody }], noon).of.size).toBe(0);
    expect(turnOf(emptySchedule, fpOf('web1'))).toBeUndefined();
  });

  it('of a second plan stand behind those of the first', () => {
    const first = queued(queueing(), moved(1, 2, 3, 4), noon);

    const second = queued(queueing({ turns: first }), moved(8), at(20));

    expect(second.of.get(8)!.at).toBe(plusMs(noon, 4 * everyMs));
  });

  it('that came while their node was away are put off by as long', () => {
    const turns: AdmissionSchedule = { slots, of: new Map([[1, turn({ clients: 40 })]]) };
    const back = plusMs(noon, 15 * minuteMs);

    const after = queued(queueing({ turns, awayMsOf: () => 10 * minuteMs }), [], back);

    // 20 had come within the five minutes before it went; the 21st comes now.
    expect(after.of.get(1)!.at).toBe(plusMs(noon, 10 * minuteMs));
  });

  it('that came weeks ago, while their node was away, do not bring those of now forward', () => {
    const turns: AdmissionSchedule = { slots, of: new Map([[1, turn()]]) };
    const now = plusMs(noon, 66 * dayMs);
    const isAway = { ownerOf: (slot: number) => (slot === 1 ? 2 : 1), admits: (index: number) => index === 1 };

    const after = queued(queueing({ turns, ...isAway }), moved(8, 9), now);

    const pages = scheduleChanges('default', { before: undefined, after, revs: [] }, 1);
    const stored = loadSchedule(pages.flatMap(({ decision }) => (decision.does === 'write' ? [decision.next as SchedulePage] : [])));
    expect([...stored.of].map(([slot, one]) => [slot, one.at])).toEqual([
      [8, now],
      [9, plusMs(now, everyMs)],
    ]);
  });

  it('that have not come go on at another rate from when it is set, and no two at once', () => {
    const turns: AdmissionSchedule = {
      slots,
      of: new Map([
        [1, turn({ clients: 10 })],
        [2, turn({ at: plusMs(noon, 10 * everyMs), clients: 2 })],
      ]),
    };
    const now = plusMs(noon, 31 * secondMs);

    const after = queued(queueing({ turns, everyMsOf: () => 60_000 }), [], now);

    const momentsOf = ({ at: begins, clients: n, everyMs: every }: SlotTurn) => Array.from({ length: n }, (_, i) => begins + i * every);
    const come = [...after.of.values()].flatMap(momentsOf).filter((moment) => moment > now);
    // Three had come at 0, 15 and 30 s.
    expect(come).toHaveLength(9);
    expect(mostWithin(come, 60_000)).toBe(1);
    expect(Math.min(...come)).toBe(now + 60_000);
  });

  it('stay one behind the other, however often the rate changes and whether the node is there or away', () => {
    const change = fc.record({
      everyMs: fc.integer({ min: 100, max: 60_000 }),
      passedMs: fc.integer({ min: 0, max: 300_000 }),
      isAway: fc.boolean(),
      more: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
        let turns: AdmissionSchedule = { slots, of: new Map() };
        let [now, next] = [noon, 10];
        for (const { everyMs: every, passedMs, isAway, more } of changes) {
          now = plusMs(now, passedMs);
          const counts = new Uint16Array(slots).fill(3);
          const slotsMoved = more.map(() => next++);
          turns = queued(queueing({ turns, counts, everyMsOf: () => every, admits: () => !isAway }), moved(...slotsMoved), now);
          const all = [...turns.of.values()].sort((a, b) => a.at - b.at);
          expect(all.map((one) => one.everyMs)).toEqual(all.map(() => every));
          for (const [n, one] of all.entries()) if (n > 0) expect(one.at).toBeGreaterThanOrEqual(endOf(all[n - 1]!));
        }
      }),
      { seed: 9 },
    );
  });

  it('end with a rate that is free, and when a slot is nobody’s', () => {
    const turns: AdmissionSchedule = { slots, of: new Map([[1, turn({ clients: 10 })]]) };

    expect(queued(queueing({ turns, everyMsOf: () => 0 }), [], noon).of.size).toBe(0);
    expect(queued(queueing({ turns, ownerOf: () => nobody }), [], noon).of.size).toBe(0);
  });

  it('remember the node that still serves the clients, over two moves', () => {
    const first = queued(queueing(), moved(1), noon);

    const again = queued(queueing({ turns: first, serves: (index) => index === 0 }), [{ slot: 1, from: 1, owner: 2 }], noon);
    const lost = queued(queueing({ turns: first }), [{ slot: 1, from: 1, owner: 2 }], noon);

    expect([again.of.get(1)!.from, lost.of.get(1)!.from]).toEqual([0, 1]);
  });
});

describe('splitting the slots', () => {
  it('changes no turn where halves are whole, but by one place for whom the 17th bit counts, and none by more than two', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), fc.boolean(), (n, name, twice) => {
        const fp = fpOf(name);
        const turns: AdmissionSchedule = { slots, of: new Map([[slotOf(fp, slots), turn({ clients: n })]]) };
        const before = turnOf(turns, fp)!;
        const after = turnOf(splitTo(turns, twice ? 4 * slots : 2 * slots), fp) ?? before;

        const isWhole = n % (twice ? 4 : 2) === 0;
        expect(Math.abs(after - before)).toBeLessThanOrEqual((isWhole ? Number(isCut(fp, n)) : 2) * everyMs);
      }),
      { examples: [[500, 1_962_563_097, false]] },
    );
  });

  /** Whether the place of a client in its slot rests on bits that come after the 16: half a slot knows one of these. */
  const isCut = (fp: string, n: number): boolean =>
    Math.floor(fractionOf(fp, slots) * n) !== Math.floor((fractionOf(fp, slots) + 2 ** -16) * n);
});

describe('the pages of turns', () => {
  const someTurns = fc
    .array(
      fc.record({
        slot: fc.nat({ max: 65_535 }),
        at: fc.integer({ min: noon, max: noon + 40 * 24 * 60 * minuteMs }),
        clients: fc.integer({ min: 1, max: 65_535 }),
        everyMs: fc.integer({ min: 1, max: 3_600_000 }),
        from: fc.nat({ max: 65_535 }),
      }),
      { maxLength: 50 },
    )
    .map((all): AdmissionSchedule => ({ slots: 65_536, of: new Map(all.map(({ slot, ...rest }) => [slot, rest as SlotTurn])) }));

  it('hold what was written, and only pages that changed are written', () => {
    fc.assert(
      fc.property(someTurns, (turns) => {
        const written = (before: AdmissionSchedule | undefined) => scheduleChanges('default', { before, after: turns, revs: [] }, 7);
        const pages = written(emptySchedule).map(
          ({ decision }) => (decision.does === 'write' ? (decision.next as SchedulePage) : undefined)!,
        );

        expect(new Map([...loadSchedule(pages).of].sort())).toEqual(new Map([...turns.of].sort()));
        expect(written(turns)).toEqual([]);
      }),
    );
  });

  it('of an earlier zone of the name are emptied', () => {
    const changes = scheduleChanges('default', { before: undefined, after: { slots, of: new Map() }, revs: [3] }, 7);

    expect(changes).toMatchObject([{ ref: { noun: 'turns', id: 'default/0' }, readRev: 3 }]);
  });
});
