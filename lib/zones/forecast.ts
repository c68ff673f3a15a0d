import { type EpochMs, hourMs, minuteMs, plusMs, secondMs } from '../units.ts';
import type { LoadedZone } from './loaded.ts';
import { rosterSize, standingAt } from './roster.ts';
import { countsBySlot } from './split.ts';
import { admits } from './standing.ts';
import { queuesOf } from './turn.ts';
import type { Counts } from './zone.ts';

/** When the last client that waits may be told its node, and why not before. */
export type Forecast = { readonly at: EpochMs; readonly because: string };

/**
 * When all clients of a zone are placed: the largest turn, computed and never stored. Clients that are kept for a node that is down count
 * from when that ends, spread over the nodes as they are now. Undefined when nobody waits, or nobody can say.
 */
export const forecastOf = (zone: LoadedZone, counts: Counts | undefined, now: EpochMs): Forecast | undefined =>
  forecastBy(zone, () => countsBySlot(counts, zone.map.owner.length), now);

/** The same by the clients of each slot, which are asked for only when somebody is kept. */
export function forecastBy(zone: LoadedZone, bySlot: () => ArrayLike<number>, now: EpochMs): Forecast | undefined {
  const queued = lastQueue(zone, now);
  const kept = afterKept(zone, bySlot, now);
  const last = queued && kept ? (queued.at > kept.at ? queued : kept) : (queued ?? kept);
  return last && { at: last.at, because: `all placed in about ${about(last.at - now)}, because ${last.because}` };
}

function lastQueue({ turns, map, members }: LoadedZone, now: EpochMs): Forecast | undefined {
  const [last] = [...queuesOf(turns, map.owner, now)].sort(([, a], [, b]) => b.until - a.until);
  return last && { at: last[1].until, because: `${members[last[0]]?.fqdn} admits one per ${rateOf(last[1].everyMs)}` };
}

/** What comes once nobody is kept any more, if the nodes that are down stay so. */
function afterKept(zone: LoadedZone, bySlot: () => ArrayLike<number>, now: EpochMs): Forecast | undefined {
  const { head, members, map } = zone;
  const ending = (head.kept ?? []).filter(({ until }) => until !== undefined && until > now);
  const takers = Array.from({ length: rosterSize(head.roster) }, (_, index) => index).filter((index) =>
    admits(standingAt(head.roster, index)),
  );
  if (ending.length === 0 || takers.length === 0) return undefined;
  const [first] = [...ending].sort((a, b) => b.until! - a.until!);
  const keptBy = new Set(ending.map(({ index }) => index));
  const counts = bySlot();
  const clients = map.owner.reduce((sum, owner, slot) => sum + (keptBy.has(owner) ? (counts[slot] ?? 0) : 0), 0);
  const everyMs = Math.max(...takers.map((index) => members[index]?.admitEveryMs ?? 0));
  const queues = queuesOf(zone.turns, map.owner, now);
  const from = Math.max(first!.until!, ...takers.map((index) => queues.get(index)?.until ?? 0)) as EpochMs;
  const name = members[first!.index]?.fqdn;
  const rate = everyMs === 0 ? '' : `, and then one per ${rateOf(everyMs)} goes to each of ${takers.length} nodes`;
  return {
    at: plusMs(from, Math.ceil((clients / takers.length) * spread) * everyMs),
    because: `the clients of ${name} are kept for it until ${new Date(first!.until!).toISOString()}${rate}`,
  };
}

/** How much more than the mean a node may be given, because slots are whole and of unequal weight. */
const spread = 1.1;

const rateOf = (everyMs: number): string => `${everyMs / secondMs} s`;

/** A span as people say it: `40 s`, `12 min`, `3 h 10 min`. Rounded up, because it is a promise. */
export function about(ms: number): string {
  if (ms <= 2 * minuteMs) return `${Math.ceil(ms / secondMs)} s`;
  const minutes = Math.ceil(ms / minuteMs);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor((minutes * minuteMs) / hourMs);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
