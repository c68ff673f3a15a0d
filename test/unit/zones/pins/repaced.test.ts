import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EpochMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { type PinnedNode, queueEndOf, waitingIn } from '../../../../lib/zones/pins/pins.ts';
import { type PinRates, repaced } from '../../../../lib/zones/pins/repaced.ts';
import { at, noon } from '../../../../tools/support/builders.ts';

/** Rates that are the same for each node; nobody waits by slots unless a test says so. */
const rates = (everyMs: number, slotsEnd: EpochMs = noon): PinRates => ({
  everyMsOf: () => everyMs,
  elsewhereMs: everyMs,
  slotsEndAt: () => slotsEnd,
  slotsEnd,
});
const queue = (from: number, clients: number, everyMs: number) => ({ at: at(from), clients, everyMs });
const own = (index: number, of: ReturnType<typeof queue>): PinnedNode => ({ index, hard: of.clients, soft: 0, queue: of });
const away = (index: number, of: ReturnType<typeof queue>): PinnedNode => ({ index, hard: 0, soft: of.clients, awayAt: noon, queue: of });

describe('queues of pinned client systems at another rate', () => {
  it('go on from where they are', () => {
    const [one] = repaced([own(1, queue(0, 10, 15_000))], rates(5_000), at(35));
    // Three had their turn, and the fourth comes five seconds later.
    expect(one!.queue).toEqual({ at: at(25), clients: 10, everyMs: 5_000 });
    expect(waitingIn(one!.queue, at(35))).toBe(8);
  });

  it('begin behind those that they waited for, which end at another time', () => {
    const [one] = repaced([own(1, queue(600, 10, 15_000))], rates(5_000, at(200)), at(35));
    expect(one!.queue).toEqual({ at: at(200), clients: 10, everyMs: 5_000 });
    const [late] = repaced([own(1, queue(600, 10, 15_000))], rates(60_000, at(2_400)), at(35));
    expect(late!.queue).toEqual({ at: at(2_400), clients: 10, everyMs: 60_000 });
  });

  it('that go elsewhere stay in one line', () => {
    const nodes = repaced([away(2, queue(150, 5, 15_000)), away(1, queue(0, 10, 15_000))], rates(3_000), at(31));
    const [behind, first] = nodes.map((one) => one.queue!);
    expect(first).toEqual({ at: at(25), clients: 10, everyMs: 3_000 });
    expect(behind).toEqual({ at: queueEndOf(first!), clients: 5, everyMs: 3_000 });
  });

  it('of unpinned client systems are one queue, wherever it is set', () => {
    const left = queue(0, 8, 15_000);
    const nodes = repaced(
      [
        { index: 1, hard: 1, soft: 0, left },
        { index: 2, hard: 1, soft: 0, left },
      ],
      rates(5_000),
      at(20),
    );
    expect(nodes[0]!.left).toEqual({ at: at(15), clients: 8, everyMs: 5_000 });
    expect(nodes[1]!.left).toEqual(nodes[0]!.left);
  });

  it('that are over, or whose rate is as it was, stay as they are', () => {
    const over = own(1, queue(0, 2, 1_000));
    const same = own(2, queue(0, 100, 5_000));
    const nodes = repaced([over, same], rates(5_000), at(60));
    expect([nodes[0] === over, nodes[1] === same]).toEqual([true, true]);
  });

  it('never lose a turn, nor give more of them at once than the rate', () => {
    const some = fc.record({
      clients: fc.integer({ min: 1, max: 500 }),
      everyMs: fc.integer({ min: 100, max: 60_000 }),
      next: fc.integer({ min: 100, max: 60_000 }),
      passedMs: fc.integer({ min: 0, max: 3_600_000 }),
    });
    fc.assert(
      fc.property(some, ({ clients, everyMs, next, passedMs }) => {
        const now = plusMs(noon, passedMs);
        const before = { at: noon, clients, everyMs };
        const [one] = repaced([own(1, before)], rates(next), now);
        const after = one!.queue!;
        const came = ({ at: from, everyMs: every }: typeof before): number => Math.min(clients, Math.floor((now - from) / every) + 1);
        expect(after.clients).toBe(clients);
        expect(came(after)).toBe(came(before));
        if (queueEndOf(before) > now)
          expect(Math.abs(queueEndOf(after) - now - (clients - came(before) + 1) * next)).toBeLessThanOrEqual(secondMs);
      }),
      { seed: 3 },
    );
  });
});
