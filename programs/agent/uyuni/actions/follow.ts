import * as z from 'zod';
import { type Example, examplesMax, PartReport } from '../../../../lib/clients/actions/node-routes.ts';
import type { Fingerprint } from '../../../../lib/core/ids.ts';
import { jsonIn } from '../../../../lib/core/json.ts';
import { printable } from '../../../../lib/core/printable.ts';
import { dayMs, type EpochMs } from '../../../../lib/core/time.ts';
import { type Ask, ReadRefused } from '../metadata/kinds.ts';
import { idsOf, isToSchedule, type Made, type Order, systemsOfCall } from './order.ts';

/** How long an action is followed: client systems that are off the whole time remain in progress. */
const followedForMs = 7 * dayMs;

/** What became of a client system so far. */
export type Outcome = { readonly is: 'done' | 'failed' | 'left' | 'unknown' | 'cancelled' | 'in-progress'; readonly why: string };
const inProgress: Outcome = { is: 'in-progress', why: '' };

const Live = z.array(z.object({ id: z.int(), completedSystems: z.int(), failedSystems: z.int() }));
/** Actions of the server with client systems in progress, by their numbers. */
export type LiveActions = ReadonlyMap<number, z.infer<typeof Live>[number]>;

/** The actions of the server that are in progress: one call for all orders. */
export const liveActions = async (ask: Ask): Promise<LiveActions> =>
  new Map((await ask('schedule.listInProgressActions', {}, Live)).map((one) => [one.id, one]));

const Systems = z.array(z.object({ server_id: z.int(), message: z.string().catch('') }));

/** An order, of which more may be known now, and what became of each of its client systems. */
export type Followed = { readonly order: Order; readonly outcomes: ReadonlyMap<Fingerprint, Outcome> };

/**
 * Looks at the actions of an order on the server. Those of one client system each are looked at once when they are no
 * longer in progress. Throws what the API throws.
 */
export async function follow(order: Order, live: LiveActions, ask: Ask): Promise<Followed> {
  const outcomes = leftOf(order);
  let next = order;
  for (const [n, made] of order.made.entries()) {
    if (order.what.do === 'reboot') next = await closing(next, made, live, ask);
    const of = await outcomesBy(next, made, live, ask);
    for (const { fp, sid } of systemsOfCall(order, n)) outcomes.set(fp, of(sid));
  }
  return { order: next, outcomes };
}

/** The order with what became of an action of one client system, once that is no longer in progress. */
async function closing(order: Order, made: Made, live: LiveActions, ask: Ask): Promise<Order> {
  const [id] = 'ids' in made ? made.ids : [];
  if (id === undefined || order.closed[id] || live.has(id)) return order;
  return { ...order, closed: { ...order.closed, [id]: await outcomeOfOne(id, ask) } };
}

/** What became of the client systems of a call, by their numbers on the server. */
async function outcomesBy(order: Order, made: Made, live: LiveActions, ask: Ask): Promise<(sid: number) => Outcome> {
  if ('refused' in made) return () => ({ is: 'left', why: made.refused });
  if ('unknown' in made) return () => unknown;
  if (order.what.do === 'reboot') return () => order.closed[made.ids[0] ?? 0] ?? inProgress;
  const own = await outcomesOf(made.ids, live, ask);
  const others: Outcome = made.ids.some((id) => live.has(id)) ? inProgress : goneOf(order);
  return (sid) => own.get(sid) ?? others;
}

const unknown: Outcome = { is: 'unknown', why: 'the answer of the server was lost, and it has no trace of it: it was not asked again' };

/** What became of a client system that none of the ended actions has. */
const goneOf = ({ what }: Order): Outcome =>
  what.do === 'errata'
    ? { is: 'left', why: 'it needs none of these errata, or somebody has cancelled them on the server' }
    : { is: 'cancelled', why: 'somebody has cancelled it on the server' };

async function outcomeOfOne(id: number, ask: Ask): Promise<Order['closed'][string]> {
  const [failed] = await systemsAt('schedule.listFailedSystems', id, ask);
  if (failed) return { is: 'failed', why: whyOf(failed.message) };
  const [done] = await systemsAt('schedule.listCompletedSystems', id, ask);
  return done ? { is: 'done', why: '' } : { is: 'cancelled', why: 'somebody has cancelled it on the server' };
}

/** What became of the client systems of actions, by their numbers on the server: who fails in one has failed. */
async function outcomesOf(ids: readonly number[], live: LiveActions, ask: Ask): Promise<ReadonlyMap<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  for (const id of ids)
    for (const { server_id: sid } of await systemsAt('schedule.listCompletedSystems', id, ask)) outcomes.set(sid, { is: 'done', why: '' });
  for (const id of ids.filter((one) => live.has(one)))
    for (const { server_id: sid } of await systemsAt('schedule.listInProgressSystems', id, ask)) outcomes.set(sid, inProgress);
  for (const id of ids)
    for (const { server_id: sid, message } of await systemsAt('schedule.listFailedSystems', id, ask))
      outcomes.set(sid, { is: 'failed', why: whyOf(message) });
  return outcomes;
}

const whyOf = (message: string): string => (message === '' ? 'the server gives no reason' : message);

const Ids = z.array(z.object({ id: z.int() }));

/**
 * The client systems of an action; none of one that the server does not have any more. A refusal has no code in the
 * server's JSON, and its words are in the language of the account: the list of all actions tells which it is. Throws
 * {@link ReadRefused} for any other refusal, which says nothing about the action.
 */
async function systemsAt(method: string, actionId: number, ask: Ask): Promise<z.infer<typeof Systems>> {
  try {
    return await ask(method, { actionId }, Systems);
  } catch (error) {
    if (!(error instanceof ReadRefused)) throw error;
    const all = await ask('schedule.listAllActions', {}, Ids);
    if (all.some(({ id }) => id === actionId)) throw error;
    return [];
  }
}

/** The content of a report of an order: all but its number and the boot of the agent. */
const ReportContent = PartReport.omit({ seq: true, incarnation: true });
export type ReportContent = z.infer<typeof ReportContent>;

/** The longest reason in a report, in characters. */
const whyMax = 300;

/** Whether an order has been followed for as long as any is. */
export const isFollowed = ({ takenAt }: Pick<Order, 'takenAt'>, now: EpochMs): boolean => now - takenAt > followedForMs;

/** The report of an order: its counts, and the first client systems that have not simply done it. */
export function reportOf({ order, outcomes }: Followed, now: EpochMs): ReportContent {
  const counts = { done: 0, failed: 0, left: 0, unknown: 0, cancelled: 0 };
  const examples: Example[] = [];
  let waiting = isToSchedule(order) ? order.systems.length - outcomes.size + order.left.length : 0;
  for (const [fp, { is, why }] of outcomes) {
    if (is === 'in-progress') waiting += 1;
    else {
      counts[is] += 1;
      if (is !== 'done' && examples.length < examplesMax) examples.push({ fp, is, why: printable(why).slice(0, whyMax) });
    }
  }
  const ids = idsOf(order);
  const isLong = waiting > 0 && isFollowed(order, now);
  return {
    state: waiting === 0 || isLong ? 'ended' : 'scheduled',
    ...counts,
    examples,
    ...(order.made.length === 1 && order.what.do !== 'reboot' && ids.length === 1 && { id: ids[0]! }),
    ...(isLong && { why: `${followedFor}: ${waiting} are still in progress on the server` }),
  };
}

const followedFor = `not followed any more after ${followedForMs / dayMs} days`;

/**
 * The last report of an order that was followed for long enough, and of which the server tells nothing now: what was
 * reported before, and that nobody knows of the others.
 */
export function lastReportOf(order: Order, why: string): ReportContent {
  const before = ReportContent.safeParse(jsonIn(order.sent)).data ?? reportOf({ order, outcomes: leftOf(order) }, order.takenAt);
  if (before.state === 'ended') return before;
  const { done, failed, left, unknown: lost, cancelled } = before;
  const rest = order.systems.length + order.left.length - (done + failed + left + lost + cancelled);
  const reason = `${followedFor}: what has become of ${rest} is not known (${why})`;
  return { ...before, state: 'ended', unknown: lost + rest, why: printable(reason).slice(0, whyMax) };
}

const leftOf = ({ left }: Order): Map<Fingerprint, Outcome> => new Map(left.map(({ fp, why }) => [fp, { is: 'left', why }]));
