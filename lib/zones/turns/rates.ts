import { rateOf } from '../../nodes/node.ts';
import type { StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import { paceWithin, type Rate } from '../rows/admission.ts';
import type { Member } from '../zone.ts';

/** How often the nodes of a zone admit, by index, once a plan with these decisions is carried out. */
export function ratesAfter(snapshot: ZoneSnapshot, round: readonly StandingDecision[]): (index: number) => Rate {
  const { zone, admitEveryMs: usualMs } = snapshot;
  const { admission } = zone.head;
  const decided = new Map(round.filter(({ isDeferred }) => !isDeferred).map(({ index, read }) => [index, read.body]));
  return (index) => {
    const node = decided.get(index);
    return node ? rateOf(node, { usualMs, admission, pace: snapshot.paces?.get(node.id) }) : memberRate(snapshot, zone.members[index]);
  };
}

/**
 * How often a member admits that the plan does not process. The settings of its zone may have changed: its rate adapts
 * no more, or has another ceiling.
 */
function memberRate({ zone, admitEveryMs }: ZoneSnapshot, member: Member | undefined): Rate {
  if (!member?.pace) return { everyMs: member?.admitEveryMs ?? 0 };
  return zone.head.admission && admitEveryMs > 0 ? paceWithin(member.pace, zone.head.admission) : { everyMs: admitEveryMs };
}

/** Whether a plan with these decisions changes the rate of a node that was a member before. */
export function changesRates(snapshot: ZoneSnapshot, round: readonly StandingDecision[]): boolean {
  const rate = ratesAfter(snapshot, round);
  return snapshot.zone.members.some((member, index) => member !== undefined && rate(index).everyMs !== (member.admitEveryMs ?? 0));
}
