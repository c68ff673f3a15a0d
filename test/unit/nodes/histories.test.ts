import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { published } from '../../../events/catalogue.ts';
import type { NodeReport } from '../../../events/reported/node.ts';
import type { Decision, Tick } from '../../../lib/core/decision.ts';
import { leaseUntilOf } from '../../../lib/core/lease.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import { moves, Node } from '../../../lib/nodes/node.ts';
import { resolveStanding } from '../../../lib/zones/map/follow.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aBeat, aNodeUp, drop, hasReleased, isLeaving, isReady, leave, stay } from './reports.ts';

/**
 * One thing that happens: time passes, the node says something that arrives late, a report comes again, somebody
 * orders, the plan follows.
 */
type Happening =
  | { readonly does: 'wait'; readonly ms: number }
  | { readonly does: 'report'; readonly make: (now: EpochMs, node: Node) => NodeReport; readonly lateMs: number }
  | { readonly does: 'again'; readonly which: number }
  | { readonly does: 'order'; readonly order: NodeCommand }
  | { readonly does: 'tick'; readonly graceMs: number }
  | { readonly does: 'plan'; readonly ownedSlots: number };

const boots = fc.constantFrom('boot-aaaa', 'boot-bbbb', 'boot-cccc');
const near = fc.integer({ min: -1, max: 2 });
const report = fc.oneof(
  fc.tuple(boots, fc.option(near)).map(([boot, off]) => (receivedAt: EpochMs, node: Node): NodeReport => {
    const flushed = off === null ? undefined : Math.max(0, node.generation + off - 1);
    return aNodeUp({ boot, receivedAt, ...(flushed !== undefined && { flushed }) });
  }),
  fc.constant((receivedAt: EpochMs, node: Node): NodeReport => aNodeUp({ boot: node.boot?.before ?? 'boot-aaaa', receivedAt })),
  fc.tuple(near, near).map(
    ([seq, boot]) =>
      (receivedAt: EpochMs, node: Node): NodeReport =>
        aBeat({ seq: Math.max(0, node.seq + seq), incarnation: Math.max(1, node.incarnation + Math.min(0, boot)), receivedAt }),
  ),
  fc.constant((receivedAt: EpochMs, node: Node): NodeReport => isReady({ receivedAt, incarnation: Math.max(1, node.incarnation) })),
  fc.constantFrom('drain' as const, 'hold' as const).map(
    (mode) =>
      (receivedAt: EpochMs, node: Node): NodeReport =>
        isLeaving(mode, { receivedAt, incarnation: Math.max(1, node.incarnation), until: plusMs(receivedAt, 60_000) }),
  ),
  fc.nat(5).map(
    (version) =>
      (receivedAt: EpochMs, node: Node): NodeReport =>
        hasReleased(version, { receivedAt, incarnation: Math.max(1, node.incarnation) }),
  ),
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(500, 6_000, 9_000, 9_000, 39_000, 700_000).map((ms) => ({ does: 'wait' as const, ms })) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('report' as const), make: report, lateMs: fc.constantFrom(0, 0, 200, 50_000) }) },
  { weight: 2, arbitrary: fc.nat(20).map((which) => ({ does: 'again' as const, which })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<NodeCommand>(leave('drain'), leave('hold'), stay, stay, stay, drop)
      .map((order) => ({ does: 'order' as const, order })),
  },
  { weight: 3, arbitrary: fc.constantFrom(0, 0, 20_000).map((graceMs) => ({ does: 'tick' as const, graceMs })) },
  { weight: 3, arbitrary: fc.constantFrom(0, 10).map((ownedSlots) => ({ does: 'plan' as const, ownedSlots })) },
);

/** What one step of a history was: by whom, from what, with which input, to what. */
type Step = {
  readonly by: 'decide' | 'plan';
  readonly before: Node;
  readonly input?: NodeReport | NodeCommand | Tick;
  readonly now: EpochMs;
  readonly decision: Decision<Node>;
  readonly after: Node;
};

/** Plays a history from a key that has just joined. */
function play(history: readonly Happening[]): Step[] {
  let now = at(0);
  let node: Node = aNode({ status: 'absent' });
  const heard: NodeReport[] = [];
  const steps: Step[] = [];
  const take = (by: Step['by'], decision: Decision<Node>, input?: Step['input']): void => {
    const after = decision.does === 'write' ? decision.next : node;
    steps.push({ by, before: node, now, decision, after, ...(input && { input }) });
    node = after;
  };
  const say = (input: NodeReport | NodeCommand | Tick): void => take('decide', decide(node, input, now), input);
  for (const one of history) {
    if (one.does === 'wait') now = plusMs(now, one.ms);
    else if (one.does === 'report') {
      heard.push(one.make(plusMs(now, -one.lateMs), node));
      say(heard.at(-1)!);
    } else if (one.does === 'again' && heard.length > 0) say(heard[one.which % heard.length]!);
    else if (one.does === 'order') say(one.order);
    else if (one.does === 'tick') say({ type: 'tick', ...(one.graceMs > 0 && { graceUntil: plusMs(now, one.graceMs) }) });
    else if (one.does === 'plan')
      take('plan', resolveStanding(node, { before: 'up', ownedSlots: one.ownedSlots, now, because: 'the plan follows', brakes: {} }).node);
  }
  return steps;
}

/** Says of every step of many histories that something holds. */
const always = (holds: (step: Step) => void, numRuns = 400): void =>
  fc.assert(
    fc.property(fc.array(happening, { minLength: 20, maxLength: 80 }), (history) => {
      for (const step of play(history)) holds(step);
    }),
    { seed: 20_260, numRuns },
  );

describe('whatever happens to a node, in whatever order', () => {
  it('its status moves only along the table, each writer along its own half', () => {
    const seen = new Set<string>();
    always(({ by, before, after }) => {
      if (before.status === after.status) return;
      expect(moves[by][before.status], `${by}: ${before.status}`).toContain(after.status);
      seen.add(`${by}: ${before.status} → ${after.status}`);
    }, 2_000);
    const unseen = (['decide', 'plan'] as const)
      .flatMap((by) => Object.entries(moves[by]).flatMap(([from, tos]) => tos.map((to: string) => `${by}: ${from} → ${to}`)))
      .filter((move) => !seen.has(move));
    // Waiting needs stations and their quorum, which there are none of yet.
    expect(unseen.filter((move) => !move.includes('waiting'))).toEqual([]);
  });

  it('incarnation and generation never go back, nor the heartbeat number within an incarnation', () => {
    always(({ before, after }) => {
      expect(after.incarnation).toBeGreaterThanOrEqual(before.incarnation);
      expect(after.generation).toBeGreaterThanOrEqual(before.generation);
      if (after.incarnation === before.incarnation) expect(after.seq).toBeGreaterThanOrEqual(before.seq);
    });
  });

  it('a lease that has run out is never renewed by a report that was received a lease ago', () => {
    always(({ input, now, decision }) => {
      if ((input?.type === 'node.heartbeat' || input?.type === 'node.up') && leaseUntilOf(input) <= now)
        expect(decision.does).toBe('nothing');
    });
  });

  it('no lease is ever given that is over already', () => {
    always(({ before, after, now }) => {
      if ('leaseUntil' in after && !('leaseUntil' in before)) expect(after.leaseUntil).toBeGreaterThan(now);
    });
  });

  it('no report that comes again changes anything', () => {
    always(({ by, input, now, after }) => {
      if (by === 'decide' && input?.type.startsWith('node.')) expect(decide(after, input, now).does).toBe('nothing');
    });
  });

  it('no report makes a node leave that was received before the last word about that, nor one that made it leave before', () => {
    always(({ before, after, input }) => {
      if (input?.type !== 'node.leaving' || after.status !== 'leaving' || before.status === 'leaving' || !before.word) return;
      expect(input.receivedAt).toBeGreaterThan(before.word.at);
      expect(input.id).not.toBe(before.word.report);
    });
  });

  it('a dropped node comes back only by flushing the generation it was dropped at, and only as the next', () => {
    always(({ before, after, input }) => {
      if (before.status !== 'dropped' || after.status === 'dropped') return;
      expect(input).toMatchObject({ type: 'node.up', data: { flushed: before.generation } });
      expect(after).toMatchObject({ status: 'joining', generation: before.generation + 1, unready: true });
      expect(after).not.toHaveProperty('index');
    });
  });

  it('what waits for the plan stays due until the plan has followed', () => {
    always(({ by, before, after, input, now, decision }) => {
      if (by === 'plan') expect(after.awaitsPlan).toBeUndefined();
      else if (before.awaitsPlan) expect(after.awaitsPlan).toBe(true);
      if (by === 'decide' && !before.awaitsPlan && after.awaitsPlan) expect(decision).toMatchObject({ does: 'write', wakeAt: now });
      if (input?.type === 'tick' && before.awaitsPlan)
        expect(decision).toEqual({ does: 'nothing', wakeAt: now, because: expect.any(String) });
    });
  });

  it('nothing is ever lost: a node that time can change is due some time', () => {
    always(({ input, decision, after, now }) => {
      if (input?.type !== 'tick' || after.status === 'absent' || after.status === 'dropped') return;
      expect(decision.does !== 'remove' && decision.wakeAt).toBeGreaterThanOrEqual(now);
    });
  });

  it('its row has only the fields that its status has, and its events are of the catalogue', () => {
    always(({ decision, after }) => {
      expect(Node.safeParse(after).error).toBeUndefined();
      if (decision.does !== 'write') return;
      for (const event of decision.events) expect(published[event.type as keyof typeof published].safeParse(event).error).toBeUndefined();
    });
  });
});
