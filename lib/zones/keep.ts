import { type EpochMs, minuteMs, plusMs } from '../units.ts';
import type { Kept } from './kept.ts';
import { standingAt } from './roster.ts';
import type { Followee } from './snapshot.ts';
import { standings } from './standing.ts';
import type { Member, ZoneHead } from './zone.ts';

/**
 * How long clients are kept for a node that went down, unless an operator has said how long: a Uyuni server reboots within it, and that
 * costs no registration anew. Where a node admits any number at once they need not wait.
 */
const usualKeepMs = 10 * minuteMs;

type Zone = { readonly head: ZoneHead; readonly members: readonly (Member | undefined)[] };

/** How long the clients of a node, by index, are kept for it once it is down, in ms; undefined for as long as it is away. */
export function keepMsOf({ head, members }: Zone, index: number): number | undefined {
  if (head.mode === 'recovery' && head.meanwhile === 'hold') return undefined;
  if (head.remapAtOnce) return 0;
  if (head.remapAfterMs > 0) return head.remapAfterMs;
  return head.mode === 'recovery' || (members[index]?.admitEveryMs ?? 0) > 0 ? usualKeepMs : 0;
}

/** How long clients are kept for any node of a zone at the most, in ms; undefined for as long as it is away. */
export function zoneKeepMs(zone: Zone): number | undefined {
  const each = zone.members.flatMap((member, index) => (member ? [keepMsOf(zone, index)] : []));
  return each.includes(undefined) ? undefined : Math.max(keepMsOf(zone, -1) ?? 0, ...(each as number[]));
}

/** Whose clients are kept once a plan is carried out: those of nodes that have just gone down, and of those before whose time is not over. */
export function keptAfter(zone: Zone, round: readonly Followee[], now: EpochMs): readonly Kept[] {
  const followed = new Map(round.map((one) => [one.index, one.standing]));
  const standingOf = (index: number): number =>
    followed.has(index) ? standings[followed.get(index)!] : standingAt(zone.head.roster, index);
  const before = (zone.head.kept ?? []).filter(({ index }) => standingOf(index) === standings.down);
  const fallen = round.filter((one) => one.standing === 'down' && one.before !== 'down').map(({ index }) => ({ index, since: now }));
  return [...before, ...fallen].flatMap(({ index, since }): Kept[] => {
    const keepMs = keepMsOf(zone, index);
    const until = keepMs === undefined ? undefined : plusMs(since, keepMs);
    return until !== undefined && until <= now ? [] : [{ index, since, ...(until !== undefined && { until }) }];
  });
}
