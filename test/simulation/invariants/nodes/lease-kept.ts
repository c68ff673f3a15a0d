import type { Report } from '../../../../events/catalogue.ts';
import { dropAfterMs, type Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { isMember, type NodeStep, nodeSteps, skewMs, told } from '../rows.ts';
import { vouchedIn } from '../vouched.ts';
import { leaseMs } from './lease-given.ts';
import { Misses, missedMs } from './misses.ts';

/** Delays may cost a node its lease; what reached its row may not be forgotten. */
export const leaseKept: Invariant = {
  name: 'nobody-is-missed-within-a-lease',
  says: 'no node becomes suspect or lost while the lease of a word holds that its row has taken in, unless three of its clients in two networks miss it and it was silent for 1.5 intervals, nor a held one before its deadline; none is given up sooner than half an hour after it was lost',
  begin: ({ violated, kernel }) => {
    const stamps = new Map<string, number>();
    const heard = new Map<string, number>();
    const misses = new Misses();
    return {
      // Its clock may be off by a little.
      logged: (_by, code, { id }) => {
        if (code === 'heartbeat.taken' && !stamps.has(String(id))) stamps.set(String(id), kernel.now - skewMs);
      },
      sent: ({ body, via }) => {
        const vouched = via === 'bus' ? vouchedIn(body) : undefined;
        if (vouched?.vouched.at)
          stamps.set(vouched.id, Math.min(stamps.get(vouched.id) ?? Number.POSITIVE_INFINITY, Date.parse(vouched.vouched.at)));
        const report = via === 'door' ? (JSON.parse(body) as Partial<Report>) : undefined;
        if (report?.id && (report.type === 'node.heartbeat' || report.type === 'node.up')) stamps.set(report.id, report.receivedAt!);
      },
      asked: misses.asked,
      heedsMarks: true,
      committed: (changes) => {
        misses.committed(changes);
        for (const step of nodeSteps(changes)) {
          const stamp = stamps.get(step.cause);
          // A node-up that is written down, and does nothing else, gives no lease.
          const isHeard = isMember(step.after) && step.after.heardAt !== step.before?.heardAt;
          if (stamp !== undefined && isHeard) heard.set(step.id, Math.max(heard.get(step.id) ?? 0, stamp));
          const until = isMissed(step) ? untilOf(step.before!, heard.get(step.id), misses) : 0;
          if (step.row.at < until) violated(`${told(step)} ${until - step.row.at} ms too early`);
        }
      },
    };
  },
};

/** Silence has been concluded; an operator who gives a node up, or has it replaced, needs no reason. */
function isMissed({ before, after }: NodeStep): boolean {
  if (!before || !after || before.status === after.status || ('ordered' in before && before.ordered)) return false;
  if (after.replacedBy) return false;
  if (after.status === 'suspect' || (after.status === 'down' && before.status !== 'dropped')) return true;
  return after.status === 'dropped' && (before.status === 'suspect' || before.status === 'down');
}

function untilOf(node: Node, heardAt = 0, misses: Misses): number {
  if (node.status === 'down') return node.downAt + dropAfterMs;
  return node.status === 'leaving' && node.leaving.mode === 'hold'
    ? node.leaving.until!
    : heardAt + (misses.areEnough(node, heardAt) ? missedMs : leaseMs);
}
