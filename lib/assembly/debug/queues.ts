import type { AdminCall } from '../../access/verify-admin.ts';
import { needsEverywhere } from '../../access/zones-of-caller.ts';
import type { ServiceTypeName } from '../../core/ids.ts';
import { type EpochMs, minuteMs, secondMs } from '../../core/time.ts';
import { type SweepRow, sweepRef } from '../../deployment/rows/sweep.ts';
import type { QueueDepth, QueueName } from '../../ports/queue/queue.ts';
import { deadLetterLists } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import type { DeadLetter } from '../../runtime/dead-letter.ts';
import { handledHere } from '../../runtime/handled.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readRow } from '../../runtime/read.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { countDead } from '../status.ts';
import type { QueueView, RuleView } from './routes.ts';

const queueNames = ['heartbeats', 'reports', 'sweeps', 'webhooks'] as const satisfies readonly QueueName[];

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** How deep the queues are, and how many dead letters there are. */
export async function listQueues({ caller }: AdminCall<'listQueues'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'read');
  const [depths, deadLetters] = await Promise.all([Promise.all(queueNames.map((queue) => shell.queue.depth(queue))), countDead(shell)]);
  return { status: 200, body: { queues: queueNames.map((queue, n) => queueView(queue, depths[n]!, shell.now())), deadLetters } };
}

function queueView(queue: QueueName, { messages, delayed, hidden, oldestSentAt }: QueueDepth, now: EpochMs): QueueView {
  return {
    queue,
    messages,
    ...(delayed !== undefined && { delayed }),
    ...(hidden !== undefined && { hidden }),
    ...(oldestSentAt !== undefined && { oldestSentAt: iso(oldestSentAt), oldestAgeMs: Math.max(0, now - oldestSentAt) }),
  };
}

/** A consumer of Muster: where its work comes from, and the limits within which it is well. */
type Rule = {
  readonly name: string;
  readonly consumes: string;
  readonly does: string;
  readonly queue?: QueueName;
  /** How old the oldest message may be, and how many messages there may be when their age is unknown. */
  readonly oldestMaxMs?: number;
  readonly messagesMax?: number;
};

/**
 * All of them, by the names of their functions. A heartbeat that waits longer than half a minute renews a lease of 38 s
 * too late; people wait for reports; an attempt at a webhook may wait for 15 minutes. Where SQS does not give the age
 * of messages, their number is limited: to the work of half a minute, a minute, and an hour at the rates that the
 * functions are made for (50 heartbeats a second).
 */
export const rules: readonly Rule[] = [
  {
    name: 'heartbeats',
    consumes: 'the queue heartbeats',
    does: 'renews leases by heartbeats that the handler did not decide at once',
    queue: 'heartbeats',
    oldestMaxMs: 30 * secondMs,
    messagesMax: 1_500,
  },
  {
    name: 'reports',
    consumes: 'the queue reports',
    does: 'decides on the reports of agents and automation',
    queue: 'reports',
    oldestMaxMs: minuteMs,
    messagesMax: 3_000,
  },
  { name: 'sweep', consumes: 'the schedule', does: 'delivers time to due rows, and plans zones' },
  { name: 'store-index', consumes: 'the schedule', does: 'stores the index of searches' },
  { name: 'publish', consumes: 'the feed of commits', does: 'sends events out, and writes history and audit' },
  {
    name: 'webhooks',
    consumes: 'the queue webhooks',
    does: 'delivers events to targets that people named',
    queue: 'webhooks',
    oldestMaxMs: 16 * minuteMs,
    messagesMax: 10_000,
  },
];

/** How many dead letters of each shard are read to find their queue, the oldest first; `dlq ls` lists all. */
const deadLettersReadMax = 5;

/** The consumers as services on the node `muster`, each with a check of its present state. */
export async function listRules({ caller }: AdminCall<'listRules'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'read');
  const [sweep, dead] = await Promise.all([readRow(shell, sweepRef()), deadByQueue(shell)]);
  const counts = handledHere(shell);
  const view = async (rule: Rule): Promise<RuleView> => {
    const counted = counts && { since: iso(counts.since), ...countedBy(counts.by.get(rule.name)) };
    const limits = [
      ...(rule.queue ? [depthLimit(rule, await shell.queue.depth(rule.queue), shell.now())] : []),
      ...(rule.name === 'sweep' ? [sweepLimit(shell, sweep?.body)] : []),
      ...deadLimit(dead.get(rule.queue ?? (rule.name === 'publish' ? 'feed' : rule.name)) ?? 0),
    ];
    const exit = limits.every(({ well }) => well) ? 0 : 1;
    return {
      type: `rule-${rule.name}` as ServiceTypeName,
      node: 'muster',
      consumes: rule.consumes,
      does: rule.does,
      ...(counted && { counted }),
      metric: `AWS/Lambda Invocations and Errors of the function ${rule.name}`,
      check: { exit, says: limits.map(({ says }) => says) },
    };
  };
  return { status: 200, body: { items: await Promise.all(rules.map(view)) } };
}

const countedBy = (counts: { handled: number; failed: number; lastAt?: EpochMs } = { handled: 0, failed: 0 }) => ({
  handled: counts.handled,
  failed: counts.failed,
  ...(counts.lastAt !== undefined && { lastAt: iso(counts.lastAt) }),
});

type Limit = { readonly well: boolean; readonly says: string };

const seconds = (ms: number): string => `${Math.round(ms / secondMs)} s`;

function depthLimit(
  { oldestMaxMs = 0, messagesMax = 0 }: Rule,
  { messages, oldestSentAt, hidden, delayed }: QueueDepth,
  now: EpochMs,
): Limit {
  // Only SQS distinguishes them, and it does not give their age.
  if (hidden !== undefined || delayed !== undefined)
    return {
      well: messages <= messagesMax,
      says: `about ${messages} messages wait (limit ${messagesMax}); CloudWatch has their age`,
    };
  const oldestMs = oldestSentAt === undefined ? 0 : Math.max(0, now - oldestSentAt);
  return {
    well: oldestMs <= oldestMaxMs,
    says: `${messages} messages, the oldest ${seconds(oldestMs)} old (limit ${seconds(oldestMaxMs)})`,
  };
}

/**
 * How late the sweep may be before it doubts itself (lib/deployment/rows/sweep.ts): three periods, and half a minute at
 * the least.
 */
function sweepLimit(shell: Shell, row: SweepRow | undefined): Limit {
  const lateMax = Math.max(3 * shell.settings.sweepPeriodMs, 30 * secondMs);
  if (!row) return { well: false, says: 'no sweep has run yet' };
  const agoMs = Math.max(0, shell.now() - row.sweptAt);
  return { well: agoMs <= lateMax, says: `the last sweep began ${seconds(agoMs)} ago (limit ${seconds(lateMax)})` };
}

const deadLimit = (deadLetters: number): Limit[] => [
  deadLetters === 0
    ? { well: true, says: 'no dead letters' }
    : { well: false, says: `${deadLetters >= deadLettersReadMax ? 'several' : deadLetters} dead letters: list them with dlq ls` },
];

/** The number of dead letters by the queue that they came from, among those that are read. */
async function deadByQueue(shell: Shell): Promise<ReadonlyMap<string, number>> {
  const pages = await Promise.all(
    deadLetterLists.dead.map((pk) => shell.table.queryIndex({ index: 'list', pk, limit: deadLettersReadMax })),
  );
  const keys = pages.flatMap(({ items }) => items.map(({ key }) => key));
  const by = new Map<string, number>();
  for (const row of await readAll(shell, keys)) {
    const deadLetter = stateOf<DeadLetter>(row, shell.now());
    if (deadLetter?.status === 'dead') by.set(deadLetter.queue, (by.get(deadLetter.queue) ?? 0) + 1);
  }
  return by;
}
