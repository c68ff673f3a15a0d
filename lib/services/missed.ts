import type { SupervisorReport } from '../../events/reported/supervisor.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { type EpochMs, plusMs, secondMs } from '../core/time.ts';
import { waiting } from './on-answer.ts';
import { orderAsk } from './orders.ts';
import { instanceOf, type Service } from './service.ts';
import { isIn, type Missed, type WatchSet } from './watch-set.ts';

/**
 * By how much the clocks of two functions may differ, in ms. A supervisor needs longer than that to be told its set, so
 * that a word that seems to come so soon after the set was made was said before.
 */
const clocksMs = secondMs;

const isSameOne = (a: Omit<Missed, 'since'>, b: Omit<Missed, 'since'>): boolean => a.node === b.node && a.service === b.service;

/**
 * A supervisor says whom it misses: its set has that from then on, of those that it watches. What another instance says
 * than `supervisor`, which is the one on record, or said before the last word or before there was this set, changes
 * nothing.
 */
export function decideMissed(
  set: WatchSet | undefined,
  { node, incarnation, seq, data, receivedAt }: SupervisorReport,
  supervisor: Service | undefined,
  now: EpochMs,
): Decision<WatchSet> {
  if (!set) return nothing('it watches nobody');
  if (!supervisor || instanceOf(supervisor) !== data.instance) return nothing(`of instance ${data.instance}, which is not on record`);
  if (incarnation === undefined || seq === undefined) return nothing('a supervisor speaks through its agent');
  if (receivedAt < (set.since ?? 0) + clocksMs) return nothing('said before it had this set');
  const { heard } = set;
  if (heard && (heard.incarnation > incarnation || (heard.incarnation === incarnation && heard.seq >= seq)))
    return nothing('it has spoken since');
  const missed = data.missed.flatMap(({ forMs, ...one }): Missed[] => {
    if (!isIn(set, one.node) || (one.service !== undefined) !== (one.node === node)) return [];
    return [set.missed.find((before) => isSameOne(before, one)) ?? { ...one, since: plusMs(now, -Math.min(forMs, now)) }];
  });
  const because = missed.length === 0 ? 'its supervisor hears everybody' : `its supervisor misses ${missed.length}`;
  return write<WatchSet, never>({ ...set, missed, heard: { incarnation, seq } }, because);
}

/** Those that a set has come to miss. */
export const newlyMissed = (before: WatchSet | undefined, { missed }: WatchSet): Missed[] =>
  missed.filter((one) => !before?.missed.some((known) => isSameOne(known, one)));

/**
 * The rule: what its supervisor misses is asked how it is. Its own agent answers then, or nobody does; the supervisor
 * itself does nothing about it.
 */
export function askMissed(
  service: Service | undefined,
  { node, ask }: { readonly node: Parameters<typeof orderAsk>[1]['node']; readonly ask: string },
  now: EpochMs,
): Decision<Service> {
  if (service?.state.is !== 'online') return nothing('it is not online: there is nothing to ask');
  const isAsked = waiting(service.asks, now).some(({ what }) => what === 'check') || service.results.some((one) => one.ask === ask);
  if (isAsked) return nothing('it is asked already');
  const decision = orderAsk(service, { type: { name: service.type, messages: [] }, node, ask: { id: ask, what: 'check' } }, now);
  if (decision.does === 'check') return nothing('a check carries no data that would have to fit');
  return decision.does === 'refuse' ? nothing(decision.because) : decision;
}
