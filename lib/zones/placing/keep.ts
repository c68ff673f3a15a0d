import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import { standingAt } from '../map/rows/roster.ts';
import { standings } from '../map/rows/standing.ts';
import type { StandingDecision } from '../map/snapshot.ts';
import type { Retention } from '../rows/kept.ts';
import type { Member, ZoneHead } from '../zone.ts';

/**
 * How long clients are retained for a node that went down, unless an operator has set a time. A Uyuni server reboots
 * within it, which saves registering its clients anew. Where a node admits any number at once they need not wait.
 */
const usualKeepMs = 10 * minuteMs;

type Zone = { readonly head: ZoneHead; readonly members: readonly (Member | undefined)[] };

/**
 * How long the clients of a node, by index, are retained for it once it is down, in ms; undefined for as long as it is
 * away.
 */
export function keepMsOf({ head, members }: Zone, index: number): number | undefined {
  if (head.mode === 'recovery' && head.meanwhile === 'hold') return undefined;
  if (head.remapAtOnce) return 0;
  if (head.remapAfterMs > 0) return head.remapAfterMs;
  return head.mode === 'recovery' || (members[index]?.admitEveryMs ?? 0) > 0 ? usualKeepMs : 0;
}

/** How long clients are retained for any node of a zone at most, in ms; undefined for as long as it is away. */
export function zoneKeepMs(zone: Zone): number | undefined {
  const each = zone.members.flatMap((member, index) => (member ? [keepMsOf(zone, index)] : []));
  return each.includes(undefined) ? undefined : Math.max(keepMsOf(zone, -1) ?? 0, ...(each as number[]));
}

/**
 * The nodes whose clients are retained once a plan is carried out: nodes that have just gone down, and earlier ones
 * whose time is not over by the present settings. Where a setting now allows a longer time, clients that have found no
 * other node yet are retained again.
 */
export function retainedAfter({ head, members }: Zone, round: readonly StandingDecision[], now: EpochMs): readonly Retention[] {
  const standingByIndex = new Map(round.map((one) => [one.index, one.standing]));
  const standingOf = (index: number): number =>
    standingByIndex.has(index) ? standings[standingByIndex.get(index)!] : standingAt(head.roster, index);
  const fallen = round.filter((one) => one.standing === 'down' && one.before !== 'down').map(({ index }) => ({ index, since: now }));
  const hasFallen = new Set(fallen.map(({ index }) => index));
  const before = downBefore(head).filter(({ index }) => standingOf(index) === standings.down && !hasFallen.has(index));
  return [...before, ...fallen].flatMap(({ index, since }): Retention[] => {
    const keepMs = keepMsOf({ head, members }, index);
    const until = keepMs === undefined ? undefined : plusMs(since, keepMs);
    return until !== undefined && until <= now ? [] : [{ index, since, ...(until !== undefined && { until }) }];
  });
}

/**
 * Nodes that were lost, and since when: those whose clients are retained, and those whose clients have not all found
 * another node.
 */
function downBefore({ kept = [], recovering = [] }: ZoneHead): readonly Omit<Retention, 'until'>[] {
  const isKept = new Set(kept.map(({ index }) => index));
  const waiting = recovering.filter(({ index, placedAt }) => placedAt === undefined && !isKept.has(index));
  return [...kept, ...waiting.map(({ index, since, againAt = since }) => ({ index, since: againAt }))];
}
