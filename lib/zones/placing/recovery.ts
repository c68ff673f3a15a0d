import type { Concluded } from '../../core/decision.ts';
import { type EpochMs, earlier, plusMs } from '../../core/time.ts';
import { about, forecastBy } from '../forecast.ts';
import type { Move } from '../map/board.ts';
import { standingAt } from '../map/rows/roster.ts';
import { nobody } from '../map/rows/slots.ts';
import { gone, serves, standings } from '../map/rows/standing.ts';
import type { Counted, StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import { type PinsByNode, pinnedTo, queueEndOf } from '../pins/pins.ts';
import type { Retention } from '../rows/kept.ts';
import type { Recovered, Recovering } from '../rows/recovering.ts';
import { type AdmissionSchedule, endOf } from '../turns/turn.ts';
import type { ZoneHead } from '../zone.ts';
import { rosterAfter } from './replace.ts';
import { mapAfter } from './stored.ts';

/**
 * How many past losses the head stores, which every reader reads: about 60 B each. The others are in the history of the
 * zone.
 */
const recoveredMax = 3;

/** The parts of a plan that bear on losses. */
type Done = {
  readonly round: readonly StandingDecision[];
  readonly moves: readonly Move[];
  readonly turns: AdmissionSchedule;
  readonly pins: PinsByNode;
  readonly retained: readonly Retention[];
};

/** The losses of a zone once a plan is carried out, with their events and reasons. */
export type Recoveries = {
  readonly recovering: readonly Recovering[];
  readonly recovered: readonly Recovered[];
  readonly events: readonly Concluded[];
  readonly because: readonly string[];
};

/**
 * How far a zone has recovered from its losses. Nothing is counted client by client: slots have owners, and turns have
 * an end. So one pass over the map measures a loss of any size, and only while there is one.
 */
export function recoveriesAfter(snapshot: Counted, done: Done, now: EpochMs): Recoveries {
  const { head } = snapshot.zone;
  const was = head.recovering ?? [];
  const fallen = fallenIn(snapshot, done.round, now);
  const before = head.recovered ?? [];
  if (was.length === 0 && fallen.length === 0) return { recovering: was, recovered: before, events: [], because: [] };
  const isFallen = new Set(fallen.map(({ index }) => index));
  const again = (one: Recovering): Recovering => {
    const { placedAt: _placed, until: _until, ...rest } = one;
    return isFallen.has(one.index) ? { ...rest, againAt: now } : one;
  };
  const known = new Set(was.map(({ index }) => index));
  const all = [...was.map(again), ...fallen.filter(({ index }) => !known.has(index))].map(placing(snapshot, done, now));
  const timedLosses = all.map((one) => timed(snapshot, done, one, now));
  const isOver = ({ until }: Recovering): boolean => until !== undefined && until <= now;
  const over = timedLosses.flatMap(({ one }) => (isOver(one) ? [one] : []));
  return {
    recovering: timedLosses.flatMap(({ one }) => (isOver(one) ? [] : [one])),
    recovered: [...before, ...over.map(({ fqdn, since, clients, until }) => ({ fqdn, since, clients, at: until! }))].slice(-recoveredMax),
    events: [...timedLosses.flatMap(({ events }) => events), ...over.map((one) => recoveredEvent(head, one))],
    because: timedLosses.flatMap(({ because }) => because),
  };
}

/** When the next loss is over, or has taken longer than it may. */
export function recoveryDueAt({ recovering, rtoMs }: Pick<ZoneHead, 'recovering' | 'rtoMs'>): EpochMs | undefined {
  return (recovering ?? []).reduce<EpochMs | undefined>((first, { since, until, late }) => {
    const limit = rtoMs === undefined || late === 'actual' ? undefined : plusMs(since, rtoMs + 1);
    return earlier(first, earlier(until, limit));
  }, undefined);
}

/**
 * Nodes that have just been lost with slots of their own, or with softly pinned client systems. A drained node has
 * none, and a node that another replaces now is no loss. Hard-pinned client systems wait for their node and are no part
 * of a recovery.
 */
function fallenIn({ zone: { map, pins }, counts }: ZoneSnapshot, round: readonly StandingDecision[], now: EpochMs): Recovering[] {
  const fell = round.filter(({ index, before, standing }) => index !== nobody && gone(standings[standing]) && !gone(standings[before]));
  return fell.flatMap(({ index, read }): Recovering[] => {
    const soft = softWith(pins, index);
    let [slots, clients] = [0, soft];
    for (let slot = 0; slot < map.owner.length; slot++) {
      if (map.owner[slot] !== index) continue;
      slots++;
      clients += counts[slot] ?? 0;
    }
    return slots === 0 && soft === 0 ? [] : [{ index, fqdn: read.body.fqdn, since: now, clients: Math.round(clients) }];
  });
}

/** How many softly pinned client systems are with their node, by its present index. */
const softWith = (pins: PinsByNode, index: number): number =>
  pinnedTo(pins, index).reduce((sum, { soft, awayAt }) => sum + (awayAt === undefined ? soft : 0), 0);

/** Whether the slots of a loss have nodes again, and until when their clients wait for their turns there. */
function placing({ zone, owned: before }: Counted, { round, moves, turns, pins }: Done, now: EpochMs): (one: Recovering) => Recovering {
  const standing = new Map(round.map((one) => [one.index, standings[one.standing]]));
  const owned = before.slice();
  for (const { from, owner } of moves) {
    if (from !== nobody) owned[from]!--;
    if (owner !== nobody && owner < owned.length) owned[owner]!++;
  }
  return (one) => {
    const { placedAt: wasPlaced, until: _before, ...rest } = one;
    const isServing = serves(standing.get(one.index) ?? standingAt(zone.head.roster, one.index));
    const isPlaced = isServing || (owned[one.index] === 0 && softWith(pins, one.index) === 0);
    if (!isPlaced) return rest;
    const placedAt = wasPlaced ?? now;
    return { ...rest, placedAt, until: lastTurnFrom(turns, pins, one.index, placedAt) };
  };
}

/** When the last client that comes from a node, by index, has its turn; `atLeast` when none waits for longer. */
function lastTurnFrom({ of }: AdmissionSchedule, pins: PinsByNode, index: number, atLeast: EpochMs): EpochMs {
  let last = atLeast;
  for (const turn of of.values()) if (turn.from === index && endOf(turn) > last) last = endOf(turn);
  for (const { awayAt, queue } of pinnedTo(pins, index))
    if (awayAt !== undefined && queue && queueEndOf(queue) > last) last = queueEndOf(queue);
  return last;
}

type Timed = { readonly one: Recovering; readonly events: readonly Concluded[]; readonly because: readonly string[] };

/** Compares a loss with the zone's RTO: it is reported once when it will take longer, and once when it does. */
function timed(snapshot: ZoneSnapshot, done: Done, one: Recovering, now: EpochMs): Timed {
  const { head } = snapshot.zone;
  const { rtoMs } = head;
  const quiet: Timed = { one, events: [], because: [] };
  if (rtoMs === undefined || one.late === 'actual') return quiet;
  const limit = plusMs(one.since, rtoMs);
  const end = one.until ?? (now > limit || one.late ? undefined : forecastAfter(snapshot, done, now));
  const by = Math.min(now, end ?? now) > limit ? 'actual' : !one.late && end !== undefined && end > limit ? 'forecast' : undefined;
  if (by === undefined) return quiet;
  const because =
    by === 'actual'
      ? `the client systems of ${one.fqdn} wait for longer than ${about(rtoMs)}, the RTO of the zone`
      : `the client systems of ${one.fqdn} will have waited for ${about(end! - one.since)} when all are placed; the RTO of the zone is ${about(rtoMs)}`;
  const data = { zone: head.name, fqdn: one.fqdn, since: one.since, rtoMs, by, ...(end !== undefined && { expectedAt: end }) };
  return { one: { ...one, late: by }, events: [{ type: 'zone.recovery-late', version: 1, data }], because: [because] };
}

/** When all clients of the zone are placed, once the plan is carried out; undefined when the time is unknown. */
function forecastAfter(snapshot: ZoneSnapshot, { round, moves, turns, pins, retained }: Done, now: EpochMs): EpochMs | undefined {
  const { zone, counts } = snapshot;
  const head = { ...zone.head, roster: rosterAfter(zone.head.roster, round), kept: [...retained] };
  const after = { ...zone, head, map: mapAfter(zone.map, moves), turns, pins };
  return forecastBy(after, () => counts, now)?.at;
}

const recoveredEvent = ({ name, rtoMs }: ZoneHead, { fqdn, since, clients, until }: Recovering): Concluded => ({
  type: 'zone.recovered',
  version: 1,
  data: {
    zone: name,
    fqdn,
    since,
    at: until!,
    about: clients,
    ...(rtoMs !== undefined && { rtoMs }),
    late: rtoMs !== undefined && until! - since > rtoMs,
  },
});

/** How far a zone has recovered: a sentence for each open loss, and since when. */
export const describeRecoveries = ({ recovering, rtoMs }: ZoneHead): { readonly because: string; readonly at: EpochMs }[] =>
  (recovering ?? []).map(({ fqdn, since, clients, until, late }) => {
    const end =
      until === undefined ? 'some of its slots wait for a node' : `the last of them has its turn at ${new Date(until).toISOString()}`;
    const limit = rtoMs === undefined ? '' : `; the RTO of the zone is ${about(rtoMs)}${late ? ', and this takes longer' : ''}`;
    return { because: `${fqdn} is lost, with about ${clients} client systems: ${end}${limit}`, at: since };
  });

/**
 * The losses of a zone as the API shows them: those that are not over first, then the last ones that are, the latest
 * first.
 */
export function recoveriesView({ recovering, recovered, rtoMs }: ZoneHead, now: EpochMs) {
  const open = (recovering ?? []).map(({ fqdn, since, clients, until, late }) => ({
    fqdn,
    since: iso(since),
    systemsAbout: clients,
    over: until !== undefined && until <= now,
    ...(until !== undefined && { placedAt: iso(until) }),
    ...(late && { late: true as const }),
  }));
  const over = (recovered ?? []).toReversed().map(({ fqdn, since, clients, at }) => ({
    fqdn,
    since: iso(since),
    systemsAbout: clients,
    over: true,
    placedAt: iso(at),
    ...(rtoMs !== undefined && at - since > rtoMs && { late: true as const }),
  }));
  return [...open, ...over];
}

const iso = (at: EpochMs): string => new Date(at).toISOString();
