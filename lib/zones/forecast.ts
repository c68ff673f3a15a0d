import { type EpochMs, hourMs, minuteMs, plusMs, secondMs } from '../core/time.ts';
import { rosterSize, standingAt } from './map/rows/roster.ts';
import { admits, serves } from './map/rows/standing.ts';
import { countsBySlot } from './map/split.ts';
import { elsewhereEnds, nowOf, queueEndOf } from './pins/pins.ts';
import { paceWithin } from './rows/admission.ts';
import type { LoadedZone } from './rows/loaded.ts';
import { type Queue, queuesOf } from './turns/turn.ts';
import type { Counts } from './zone.ts';

/**
 * When the last client that has a turn may be assigned its node; absent when none waits for a turn. `waiting`: how many
 * are pinned to a node that is away and wait for it, for an unknown time. `because`: why they are not placed sooner.
 */
export type Forecast = { readonly at?: EpochMs; readonly waiting: number; readonly because: string };

/**
 * When all clients of a zone are placed: the largest turn, computed and never stored. Clients that are retained for a
 * down node count from the end of the retention, spread over the present nodes. Undefined when no client waits, or the
 * time is unknown.
 */
export const forecastOf = (zone: LoadedZone, counts: Counts | undefined, now: EpochMs): Forecast | undefined =>
  forecastBy(zone, () => countsBySlot(counts, zone.map.owner.length), now);

/** The same from the clients of each slot, which are read only when clients are retained. */
export function forecastBy(zone: LoadedZone, bySlot: () => ArrayLike<number>, now: EpochMs): Forecast | undefined {
  const last = latest([...slotQueues(zone, now), ...pinQueues(zone, now), ...leftQueues(zone, now), ...afterRetention(zone, bySlot, now)]);
  const away = awaited(zone, now);
  const waiting = away.reduce((sum, { clients }) => sum + clients, 0);
  if (!last && waiting === 0) return undefined;
  const placed = last && `placed in about ${about(last.at - now)}, because ${last.because}`;
  if (waiting === 0) return { at: last!.at, waiting, because: `all ${placed}` };
  const because = [describeAwaited(away, waiting), ...(placed ? [`all others are ${placed}`] : [])].join('; ');
  return { ...(last && { at: last.at }), waiting, because };
}

/** When the last client of a group has its turn, and the reason. */
type Ending = { readonly at: EpochMs; readonly because: string };

const latest = (endings: readonly Ending[]): Ending | undefined =>
  endings.reduce<Ending | undefined>((last, one) => (last && last.at >= one.at ? last : one), undefined);

const slotQueues = (zone: LoadedZone, now: EpochMs): Ending[] =>
  [...queuesOf(zone.turns, zone.map.owner, now)].map(([index, { until, everyMs }]) => ({
    at: onAverage(zone, index, { until, everyMs }, now),
    because: admitsAt(zone, index, everyMs),
  }));

/** The interval at which a node admits on average; undefined where its rate is fixed, or still unknown. */
function averageMs({ head, members }: LoadedZone, index: number): number | undefined {
  const pace = members[index]?.pace;
  return head.admission && pace && paceWithin(pace, head.admission).onAverageMs;
}

/** When turns at a node end that come at one per `everyMs` now. */
const onAverage = (zone: LoadedZone, index: number, { until, everyMs }: Queue, now: EpochMs): EpochMs =>
  plusMs(now, Math.ceil(((until - now) * (averageMs(zone, index) ?? everyMs)) / everyMs));

/** How fast a node admits, in words, and what it was found to bear where its rate adapts. */
function admitsAt({ head, members }: LoadedZone, index: number, everyMs: number): string {
  const { fqdn, pace } = members[index] ?? {};
  const readyMs = head.admission && pace?.readyMs;
  const bears = readyMs === undefined ? '' : `: it bears that, first jobs after ${rateOf(readyMs)}`;
  return `${fqdn} admits one per ${rateOf(everyMs)}${bears}`;
}

/**
 * Turns by pins: at the node, or elsewhere while it is away. Turns of an absent node are postponed until it is back.
 */
const pinQueues = (zone: LoadedZone, now: EpochMs): Ending[] =>
  [...zone.pins.values()].flatMap((one): Ending[] => {
    const { queue, awayAt } = one;
    const isThere = awayAt !== undefined || serves(standingAt(zone.head.roster, nowOf(one)));
    if (!queue || !isThere || queueEndOf(queue) <= now) return [];
    const because =
      awayAt === undefined
        ? admitsAt(zone, nowOf(one), queue.everyMs)
        : `other nodes admit one client of ${zone.members[nowOf(one)]?.fqdn} per ${rateOf(queue.everyMs)}`;
    const at =
      awayAt === undefined ? onAverage(zone, nowOf(one), { until: queueEndOf(queue), everyMs: queue.everyMs }, now) : queueEndOf(queue);
    return [{ at, because }];
  });

/** Turns elsewhere of unpinned client systems, all in one queue. */
function leftQueues({ pins }: LoadedZone, now: EpochMs): Ending[] {
  const left = [...pins.values()].map((one) => one.left).find((one) => one && queueEndOf(one) > now);
  return left ? [{ at: queueEndOf(left), because: `the nodes admit one unpinned client per ${rateOf(left.everyMs)}` }] : [];
}

/** Client systems that are pinned to an absent node and go nowhere else: by node, the most first. */
function awaited({ head, members, pins }: LoadedZone, now: EpochMs): { readonly fqdn: string; readonly clients: number }[] {
  const ends = new Set(ending({ head }, now).map(({ index }) => index));
  const nodes = [...pins.values()].flatMap((one) => {
    const index = nowOf(one);
    // The soft ones go elsewhere in their turns, or once they are no longer retained. Where no node has room for them
    // they wait as well.
    const clients = one.hard + (one.awayAt !== undefined || ends.has(index) ? 0 : one.soft);
    return clients === 0 || serves(standingAt(head.roster, index)) ? [] : [{ fqdn: `${members[index]?.fqdn}`, clients }];
  });
  return nodes.sort((a, b) => b.clients - a.clients);
}

function describeAwaited(nodes: readonly { readonly fqdn: string }[], clients: number): string {
  const more = nodes.length - 1;
  const others = more === 0 ? '' : ` and ${more} other ${more === 1 ? 'node' : 'nodes'}`;
  return `${clients} pinned to ${nodes[0]!.fqdn}${others} ${clients === 1 ? 'waits' : 'wait'} for ${more === 0 ? 'it' : 'them'}`;
}

/** Down nodes whose clients are retained for them for a limited time. */
const ending = ({ head }: Pick<LoadedZone, 'head'>, now: EpochMs): { readonly index: number; readonly until: EpochMs }[] =>
  (head.kept ?? []).flatMap(({ index, until }) => (until !== undefined && until > now ? [{ index, until }] : []));

/** The last turns after the retention ends, if the down nodes stay down. */
function afterRetention(zone: LoadedZone, bySlot: () => ArrayLike<number>, now: EpochMs): Ending[] {
  const { head, members, map, pins } = zone;
  const [first] = ending(zone, now).sort((a, b) => b.until - a.until);
  const takers = Array.from({ length: rosterSize(head.roster) }, (_, index) => index).filter((index) =>
    admits(standingAt(head.roster, index)),
  );
  if (!first || takers.length === 0) return [];
  const retainedBy = new Set(ending(zone, now).map(({ index }) => index));
  const counts = bySlot();
  const clients = map.owner.reduce((sum, owner, slot) => sum + (retainedBy.has(owner) ? (counts[slot] ?? 0) : 0), 0);
  const retained = [...pins.values()].filter((one) => one.awayAt === undefined && retainedBy.has(nowOf(one)));
  const soft = retained.reduce((sum, one) => sum + one.soft, 0);
  const everyMs = Math.max(...takers.map((index) => averageMs(zone, index) ?? members[index]?.admitEveryMs ?? 0));
  const queues = queuesOf(zone.turns, map.owner, now);
  const from = Math.max(first.until, ...takers.map((index) => queues.get(index)?.until ?? 0)) as EpochMs;
  const slotsEnd = plusMs(from, Math.ceil((clients / takers.length) * spread) * everyMs);
  const name = members[first.index]?.fqdn;
  const rate = everyMs === 0 ? '' : `, and then each of ${takers.length} nodes admits one per ${rateOf(everyMs)}`;
  return [
    {
      // Softly pinned clients go after those that go by their slots, and after other pinned ones.
      at: soft === 0 ? slotsEnd : plusMs(laterOf(slotsEnd, elsewhereEnds(pins.values())), Math.ceil((soft * everyMs) / takers.length)),
      because: `the clients of ${name} wait for it until ${new Date(first.until).toISOString()}${rate}`,
    },
  ];
}

const laterOf = (at: EpochMs, others: readonly EpochMs[]): EpochMs => Math.max(at, ...others) as EpochMs;

/** How much more than the mean a node may be given, because slots are whole and of unequal weight. */
const spread = 1.1;

const rateOf = (everyMs: number): string => `${Math.round(everyMs / 10) / 100} s`;

/** A duration in words: `40 s`, `12 min`, `3 h 10 min`. Rounded up, because it is a promise. */
export function about(ms: number): string {
  if (ms <= 2 * minuteMs) return `${Math.ceil(ms / secondMs)} s`;
  const minutes = Math.ceil(ms / minuteMs);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor((minutes * minuteMs) / hourMs);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
