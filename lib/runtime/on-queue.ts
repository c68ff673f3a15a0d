import type * as z from 'zod';
import { Later, MusterError, Poison } from '../core/errors.ts';
import type { Message } from '../ports/queue/queue.ts';
import { putAside, type Undeliverable } from './dead.ts';
import type { ReportQueue } from './dead-letter.ts';
import type { QueueFunction } from './function.ts';
import type { Shell } from './shell.ts';

/** How a message becomes a report: one that an endpoint sent, or one that a rule of the ingest bus handed on. */
export type ReportSchemas<R> = {
  readonly endpoint: z.ZodType<R>;
  /**
   * Reads a report of the bus and stamps it with its time of sending and the interval to count by. When absent, the
   * queue takes nothing from the bus.
   */
  readonly bus?: (raw: unknown, message: Message, shell: Shell) => R;
  /** The messages that must be processed in order, and their order; none when absent. */
  readonly laneOf?: (raw: unknown) => Lane | undefined;
};

/**
 * The subject of a message, and its place among others with the same subject: messages of one batch are processed in
 * that order.
 */
export type Lane = { readonly about: string; readonly place: number };

/**
 * Consumes a queue of reports: parses, works, and hands back only the messages that failed transiently. A message that
 * can never succeed, or fails on its last receive, becomes a `dead#` row with its reason and its queue for a redrive.
 */
export const onQueue = <R extends { readonly id: string }>(
  schemas: ReportSchemas<R>,
  work: (report: R, shell: Shell) => Promise<unknown>,
  queue: ReportQueue,
): QueueFunction => ({
  on: 'queue',
  handle: async (messages, shell) => {
    const again = await Promise.all(
      inLanes(messages, schemas).map((lane) => inTurn(lane, (one) => consume(schemas, work, one, queue, shell))),
    );
    return again.flat();
  },
});

/**
 * Messages in groups that are processed one after another; most are alone. A message that is not JSON fails later, when
 * it is read.
 */
function inLanes<R>(messages: readonly Message[], { laneOf }: ReportSchemas<R>): readonly (readonly Message[])[] {
  if (!laneOf) return messages.map((message) => [message]);
  const lanes = new Map<string, { message: Message; place: number }[]>();
  for (const [n, message] of messages.entries()) {
    const { about, place } = laneOf(jsonIn(message.body)) ?? { about: `message ${n}`, place: 0 };
    lanes.set(about, [...(lanes.get(about) ?? []), { message, place }]);
  }
  return [...lanes.values()].map((lane) => lane.sort((a, b) => a.place - b.place).map(({ message }) => message));
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Processes messages one after another. Once one must be delivered again, so must the later ones, which depend on it.
 */
async function inTurn(lane: readonly Message[], work: (message: Message) => Promise<boolean>): Promise<string[]> {
  for (const [n, message] of lane.entries()) if (await work(message)) return lane.slice(n).map(({ id }) => id);
  return [];
}

/**
 * A redriven dead letter is read as first sent: for a report of the bus, the time of sending decides whether it still
 * counts.
 */
const asFirstSent = (message: Message): Message =>
  message.letter ? { ...message, via: message.letter.via, sentAt: message.letter.sentAt } : message;

/** Whether the message must be delivered again. */
async function consume<R extends { readonly id: string }>(
  schemas: ReportSchemas<R>,
  work: (report: R, shell: Shell) => Promise<unknown>,
  handed: Message,
  queue: ReportQueue,
  shell: Shell,
): Promise<boolean> {
  const message = asFirstSent(handed);
  try {
    await work(parse(schemas, message, shell), shell);
    return false;
  } catch (error) {
    const why = await whyAgain(shell, { ...message, queue }, known(error));
    if (!why) return false;
    const { letter, id, receives } = message;
    shell.log('warn', 'report.later', { id: letter?.id ?? id, reason: why.code, detail: why.message, receives });
    return true;
  }
}

/** An unexpected failure may be transient. */
const known = (error: unknown): MusterError =>
  error instanceof MusterError ? error : new Later('unexpected', error instanceof Error ? error.message : String(error), { cause: error });

/**
 * Sets aside a message that can never succeed or was received for the last time. Resolves to the reason if the message
 * must be delivered again: it may still succeed, or cannot be set aside now.
 */
async function whyAgain(shell: Shell, message: Undeliverable, failure: MusterError): Promise<MusterError | undefined> {
  if (failure.retry === 'later' && message.receives < shell.settings.receivesMax) return failure;
  try {
    await putAside(shell, message, failure.code, failure.message);
    return undefined;
  } catch (error) {
    return known(error);
  }
}

/**
 * Throws {@link Poison} for a message that is not a report: no JSON, an unknown type or version, the wrong shape, or a
 * type the bus may not carry.
 */
function parse<R>({ endpoint, bus }: ReportSchemas<R>, message: Message, shell: Shell): R {
  let raw: unknown;
  try {
    raw = JSON.parse(message.body);
  } catch (error) {
    throw new Poison('malformed-json', 'the message is not JSON', { cause: error });
  }
  if (message.via === 'bus') {
    if (!bus) throw new Poison('not-from-bus', 'this queue takes no messages from the bus');
    return bus(raw, message, shell);
  }
  const read = endpoint.safeParse(raw);
  if (!read.success) throw poisonOf(read.error, raw);
  return read.data;
}

/** Why a message is not a report, naming the first wrong field. */
export function poisonOf(error: z.ZodError, raw: unknown): Poison {
  const type = (raw as { type?: unknown } | null)?.type;
  const issue = error.issues[0];
  if (issue?.code === 'invalid_union' && issue.path.join('/') === 'type')
    return new Poison('unknown-type', `there is no report of type ${JSON.stringify(type)}`);
  return new Poison(
    'wrong-shape',
    `${typeof type === 'string' ? type : 'a report'}: /${issue?.path.join('/') ?? ''} ${issue?.message ?? ''}`,
  );
}
