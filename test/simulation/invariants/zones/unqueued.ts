import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

/**
 * Without queues the sweep begins once a minute, and every other one may grant a grace of a lease because the one
 * before is so long ago.
 */
const noticedMs = 130_000;

/** Failure detection rests on the table and the schedule: queues only make it faster. */
export const unqueued: Invariant = {
  name: 'silence-is-noticed-without-queues',
  says: 'while no queue can be reached the sweep goes on by its schedule: whoever has fallen silent is suspect two sweeps after its lease has run out',
  begin: ({ kernel, world, violated }) => {
    const leased = new Map<string, EpochMs>();
    let awaySince: EpochMs | undefined;
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const { id, after } of nodeSteps(changes)) {
          const leaseUntil = leaseOfMember(after);
          if (leaseUntil === undefined) leased.delete(id);
          else leased.set(id, leaseUntil);
        }
        const { areQueuesAway, awake } = world().cluster;
        awaySince = areQueuesAway && awake ? (awaySince ?? kernel.now) : undefined;
        if (awaySince === undefined) return;
        for (const [id, leaseUntil] of leased) {
          const sinceMs = kernel.now - Math.max(leaseUntil, awaySince);
          if (sinceMs > noticedMs) violated(`the lease of ${id.slice(0, 8)} ran out ${sinceMs} ms ago, and nobody has noticed`);
        }
      },
    };
  },
};

/** Until when a member is not to be missed that may become suspect by its lease alone. */
function leaseOfMember(node: Node | undefined): EpochMs | undefined {
  return node?.status === 'up' || node?.status === 'joining' || node?.status === 'quarantined' ? node.leaseUntil : undefined;
}
