import type { SupervisorReport } from '../../events/reported/supervisor.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { type EpochMs, plusMs, secondMs } from '../core/time.ts';
import { waiting } from './on-answer.ts';
import { orderAsk } from './orders.ts';
import { instanceOf, type Service } from './service.ts';
import { isIn, type Missed, type WatchSet } from './watch-set.ts';

/**
 * The maximum difference between the clocks of two functions, in ms. A supervisor needs longer than that to receive its
 * set. A report that seems to arrive this soon after the set was made was therefore sent before it.
 */
const clocksMs = secondMs;

const isSameOne = (a: Omit<Missed, 'since'>, b: Omit<Missed, 'since'>): boolean => a.node === b.node && a.service === b.service;

/**
 * Applies the report of a supervisor about what it misses: its set records that, limited to what it watches. A report
 * changes nothing if it comes from another instance than `supervisor`, the one on record. It also changes nothing if it
 * was sent before the last report or before this set existed.
 */
export function decideMissed(
  set: WatchSet | undefined,
  { node, incarnation, seq, data, receivedAt }: SupervisorReport,
  supervisor: Service | undefined,
  now: EpochMs,
): Decision<WatchSet> {
  if (!set) return nothing('the supervisor has nothing to watch');
  if (!supervisor || instanceOf(supervisor) !== data.instance)
    return nothing(`instance ${data.instance} of the supervisor is not on record`);
  if (incarnation === undefined || seq === undefined) return nothing('the report did not come through an agent');
  if (receivedAt < (set.since ?? 0) + clocksMs) return nothing('sent before the supervisor had this set');
  const { heard } = set;
  if (heard && (heard.incarnation > incarnation || (heard.incarnation === incarnation && heard.seq >= seq)))
    return nothing('a newer report was applied already');
  const missed = data.missed.flatMap(({ forMs, ...one }): Missed[] => {
    if (!isIn(set, one.node) || (one.service !== undefined) !== (one.node === node)) return [];
    return [set.missed.find((before) => isSameOne(before, one)) ?? { ...one, since: plusMs(now, -Math.min(forMs, now)) }];
  });
  const because =
    missed.length === 0 ? 'its supervisor misses nothing' : `its supervisor misses ${missed.length} of its nodes and services`;
  return write<WatchSet, never>({ ...set, missed, heard: { incarnation, seq } }, because);
}

/** The entries that a set misses and did not miss before. */
export const newlyMissed = (before: WatchSet | undefined, { missed }: WatchSet): Missed[] =>
  missed.filter((one) => !before?.missed.some((known) => isSameOne(known, one)));

/**
 * The rule: Muster has a missed service checked. The agent of the service answers, or there is no answer. The
 * supervisor itself takes no action.
 */
export function askMissed(
  service: Service | undefined,
  { node, ask }: { readonly node: Parameters<typeof orderAsk>[1]['node']; readonly ask: string },
  now: EpochMs,
): Decision<Service> {
  if (service?.state.is !== 'online') return nothing('it is not online: there is nothing to check');
  const isAsked = waiting(service.asks, now).some(({ what }) => what === 'check') || service.results.some((one) => one.ask === ask);
  if (isAsked) return nothing('it was asked already');
  const decision = orderAsk(service, { type: { name: service.type, messages: [] }, node, ask: { id: ask, what: 'check' } }, now);
  if (decision.does === 'check') return nothing('a check carries no data to validate');
  return decision.does === 'refuse' ? nothing(decision.because) : decision;
}
