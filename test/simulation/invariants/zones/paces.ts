import type { Node } from '../../../../lib/nodes/node.ts';
import type { Member } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { type ZoneState, ZoneTruth } from './zone-truth.ts';

/** A strained node admits at most this many times as slowly as usual. */
const slowest = 4;

/** What is wrong with the rate of a member, as a plan has just left it; undefined when nothing is. */
function wrongWith({ head }: ZoneState, { pace, admitEveryMs = 0 }: Member, node: Node | undefined, usualMs: number): string | undefined {
  // The plan has yet to see an order, or ignores a node that was given up.
  const own = node?.awaitsPlan || node?.status === 'dropped' ? undefined : node?.admitEveryMs;
  if (own !== undefined) return admitEveryMs === own ? undefined : `is ${admitEveryMs} ms, and an operator has set ${own} ms`;
  if (!pace) return undefined;
  if (!head.admission) return admitEveryMs === usualMs ? undefined : `is ${admitEveryMs} ms, and the fixed rate is ${usualMs} ms`;
  const { atMostEveryMs } = head.admission;
  if (admitEveryMs < atMostEveryMs) return `is ${admitEveryMs} ms, and the ceiling is ${atMostEveryMs} ms`;
  const slowestMs = Math.max(atMostEveryMs, slowest * usualMs);
  return admitEveryMs > slowestMs ? `is ${admitEveryMs} ms, and the slowest is ${slowestMs} ms` : undefined;
}

/** A rate that adapts is bounded, and one that is fixed does not adapt. */
export const paces: Invariant = {
  name: 'rates-keep-their-bounds',
  says: 'a node whose rate follows what it bears admits no faster than the ceiling of its zone, and no slower than four times the usual; one whose rate is fixed, by its zone or by an operator, admits at that',
  begin: ({ violated, world }) => {
    const truth = new ZoneTruth();
    const nodes = new Map<string, Node>();
    return {
      committed: (changes) => {
        for (const { after } of changes) if (after.key.sk === 'node' && !after.gone) nodes.set((after.body as Node).id, after.body as Node);
        const step = truth.take(changes);
        // Only a plan takes settings over, and it looks at all members.
        if (!step?.before || step.after.members === step.before.members) return;
        for (const [index, member] of step.after.members.entries()) {
          const node = nodes.get(member?.node ?? '');
          // It may have been a member under another index before.
          const wrong = member && node?.index === index && wrongWith(step.after, member, node, world().cluster.admitEveryMs);
          if (wrong) violated(`${step.name} at version ${step.after.head.version}: the rate of ${member.fqdn} ${wrong}`);
        }
      },
    };
  },
};
