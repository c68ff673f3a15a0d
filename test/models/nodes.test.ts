import { describe, expect, it } from 'vitest';
import { leaseUntilOf } from '../../lib/core/lease.ts';
import { plusMs } from '../../lib/core/time.ts';
import { decide } from '../../lib/nodes/decide.ts';
import { moves } from '../../lib/nodes/node.ts';
import { noon } from '../../tools/support/a-row.ts';
import { aJoin, aNodeUp } from '../unit/nodes/reports.ts';
import { always, findsFault, type Model } from './model.ts';
import { nodeCommands } from './nodes/commands.ts';
import { type NodeDecide, NodeReal } from './nodes/real.ts';
import { type Remembered, remembersNothing } from './nodes/remembered.ts';

/** Begins with a node that has joined and said node-up, or with a key that nobody knows. */
const aModelOf = ({
  decide,
  seen,
  hasJoined = true,
}: {
  decide?: NodeDecide;
  seen?: Set<string>;
  hasJoined?: boolean;
} = {}): Model<Remembered, NodeReal> => ({
  commands: nodeCommands,
  begin: async () => {
    const [model, real] = [remembersNothing(), new NodeReal(decide, seen)];
    if (hasJoined) for (const input of [aJoin, aNodeUp({ boot: 'boot-aaaa', receivedAt: noon })]) await real.hear(model, input);
    return { model, real };
  },
});

/** A decide that is wrong in one thing: what it is asked, or what it answers. */
const wrong = (asked: (...given: Parameters<NodeDecide>) => Parameters<NodeDecide>) =>
  aModelOf({ decide: (...given) => decide(...asked(...given)) });

describe('a node', () => {
  it('keeps its laws whatever happens to it, in whatever order, and makes every move that there is', async () => {
    const seen = new Set<string>();
    await always(aModelOf({ seen }), { numRuns: 300 });
    const all = (['decide', 'plan'] as const).flatMap((by) =>
      Object.entries(moves[by]).flatMap(([from, tos]) => tos.map((to: string) => `${by}: ${from} → ${to}`)),
    );
    // Waiting needs stations and their quorum, which there are none of yet.
    expect(all.filter((move) => !seen.has(move) && !move.includes('waiting') && !move.includes('absent'))).toEqual([]);
  }, 600_000);

  it('keeps them from its first word on', () => always(aModelOf({ hasJoined: false }), { numRuns: 100 }), 600_000);
});

describe('the model of a node finds out a decide', () => {
  it('that takes a heartbeat it has counted already', () =>
    findsFault(
      wrong((node, input, now) => [node && input.type === 'node.heartbeat' ? { ...node, seq: -1 } : node, input, now]),
      'a report that comes again changes nothing',
    ));

  it('that lets a dropped node return unflushed', () =>
    findsFault(
      wrong((node, input, now) => {
        if (node?.status !== 'dropped' || input.type !== 'node.up') return [node, input, now];
        return [node, { ...input, data: { ...input.data, flushed: node.generation } }, now];
      }),
      'a dropped node comes back only with the generation it was dropped at flushed',
    ));

  it('that renews a lease by a heartbeat which the door received a lease ago', () =>
    findsFault(
      wrong((node, input, now) => {
        const isLate = input.type === 'node.heartbeat' && leaseUntilOf(input) <= now;
        return [node, isLate ? { ...input, receivedAt: now } : input, now];
      }),
      'a sign of life received a lease ago changes nothing',
    ));

  it('that forgets a grace', () =>
    findsFault(
      wrong((node, input, now) => [node, input.type === 'tick' ? { type: 'tick' } : input, now]),
      'time alone makes a node suspect when its lease is over and the grace too',
    ));

  it('that takes a clone for another boot', () =>
    findsFault(
      wrong((node, input, now) => {
        const { before: _forgotten, ...boot } = node?.boot ?? {};
        return [node?.boot && input.type === 'node.up' ? ({ ...node, boot } as typeof node) : node, input, now];
      }),
      'two boots that take turns are two machines with one key',
    ));

  it('that takes a word on its way for another machine', () =>
    findsFault(
      wrong((node, input, now) => {
        const { boot } = node ?? {};
        if (!boot || input.type !== 'node.up' || input.data.boot.id !== boot.before || input.receivedAt <= boot.receivedAt)
          return [node, input, now];
        return [{ ...node, boot: { ...boot, receivedAt: plusMs(boot.receivedAt, -5_000) } } as typeof node, input, now];
      }),
      'no node is taken for two machines by a word that may have been on its way',
    ));

  it('that does not look again when a lease is over', () =>
    findsFault(
      aModelOf({
        decide: (...given) => {
          const decision = decide(...given);
          return decision.does === 'nothing' && given[1].type === 'tick' ? { does: 'nothing', because: decision.because } : decision;
        },
      }),
      'a row that time can change is due by then',
    ));
});
