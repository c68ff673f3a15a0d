import { type Decision, nothing, write } from '../core/decision.ts';
import { dayMs, type EpochMs, plusMs, unreachable } from '../core/time.ts';
import { bodyBytesMax } from '../ports/queue/limits.ts';
import type { DeadLetterOrigin, QueueName } from '../ports/queue/queue.ts';

/** Why a message could not be processed. */
export type Failure = { readonly code: string; readonly reason: string; readonly at: EpochMs };

/** When an operator acted on a dead letter, and by which call. */
type Order = { readonly at: EpochMs; readonly by: string };
type Redriven = Order & { readonly attempt: number };

/** The queues whose messages can become dead letters: the sweep's messages to itself have no content. */
export type ReportQueue = Exclude<QueueName, 'sweeps'>;

type Known = {
  readonly id: string;
  /** The target of a redrive: its queue, or the bus for an image of the feed. */
  readonly queue: ReportQueue | 'feed';
  readonly via: DeadLetterOrigin['via'] | 'feed';
  /** The message as it came; only its beginning if it is longer than a queue takes. */
  readonly message: string;
  /** How long the whole message is. */
  readonly bytes: number;
  readonly cut?: true;
  readonly sentAt: EpochMs;
  /** How often it was received, over all its attempts. */
  readonly receives: number;
  /** The number of its attempts that died. */
  readonly deaths: number;
  /** The latest attempt that died: 0 is the message itself, each redrive is one more. */
  readonly died: number;
  readonly first: Failure;
  readonly last: Failure;
};

/**
 * A message or image that can never succeed, or a message that failed on its last receive. A redriven one stays, so
 * that it is recognised when it dies again. A dropped one stays too, without its message, so that a repeat does not
 * bring it back.
 */
export type DeadLetter = Known &
  (
    | { readonly status: 'dead'; readonly redriven?: Redriven }
    | { readonly status: 'redriven'; readonly redriven: Redriven }
    | { readonly status: 'dropped'; readonly redriven?: Redriven; readonly dropped: Order }
  );

/** An attempt died: its message, how often it was received, and why. */
export type Death = {
  readonly type: 'death';
  /** The id of the message that died: another one for each attempt. */
  readonly id: string;
  readonly letter: string;
  readonly attempt: number;
  readonly queue: DeadLetter['queue'];
  readonly via: DeadLetter['via'];
  readonly body: string;
  readonly sentAt: EpochMs;
  readonly receives: number;
  readonly code: string;
  readonly reason: string;
};
/** An input about a dead letter; `id` is that of the message or of the operator's call. */
export type DeadLetterInput =
  | Death
  | { readonly type: 'redriven'; readonly id: string; readonly attempt: number }
  | { readonly type: 'drop'; readonly id: string };

/**
 * The most that a queue takes, and so the most that can be given back; with all else it stays below the 400 KB of a
 * row.
 */
const messageBytesMax = bodyBytesMax;
/** The longest reason; it may quote the message. */
const reasonCharsMax = 1_000;
/** As long as SQS retains its own dead letters, so that an absence of two weeks loses none. */
const storedForMs = 14 * dayMs;

/** Decides on a dead letter. A repeated input changes nothing. */
export function decideDeadLetter(stored: DeadLetter | undefined, input: DeadLetterInput, now: EpochMs): Decision<DeadLetter> {
  const deadLetter = stored && upToDate(stored);
  switch (input.type) {
    case 'death':
      return deadLetter ? diedAgain(deadLetter, input, now) : keep(firstDeath(input, now), shortened(input.reason));
    case 'redriven':
      return redriven(deadLetter, input, now);
    case 'drop':
      return dropped(deadLetter, input.id, now);
    default:
      return unreachable(input);
  }
}

/**
 * Stored until two weeks after the last input; a queue retains a message for less, so that the row outlasts every
 * attempt.
 */
const keep = (deadLetter: DeadLetter, because: string): Decision<DeadLetter> =>
  write(deadLetter, because, { expiresAt: expiresAtOf(deadLetter) });

/** When a dead letter expires. */
export const expiresAtOf = ({ last, redriven }: DeadLetter): EpochMs =>
  plusMs(Math.max(last.at, redriven?.at ?? 0) as EpochMs, storedForMs);

function firstDeath(death: Death, at: EpochMs): DeadLetter {
  const { letter: id, queue, via, body, sentAt, receives, attempt: died } = death;
  const failure = failureOf(death, at);
  return { id, status: 'dead', queue, via, ...storedMessage(body), sentAt, receives, deaths: 1, died, first: failure, last: failure };
}

/**
 * An attempt counts once, even if its message is delivered repeatedly. While a later attempt is under way, the letter
 * is not dead.
 */
function diedAgain(deadLetter: DeadLetter, death: Death, now: EpochMs): Decision<DeadLetter> {
  if (death.attempt <= deadLetter.died) return nothing(`attempt ${death.attempt} is known to have died`);
  const { id, queue, via, sentAt, first, redriven } = deadLetter;
  const receives = deadLetter.receives + death.receives;
  const last = failureOf(death, now);
  const deaths = deadLetter.deaths + 1;
  const known = { id, queue, via, ...storedMessage(death.body), sentAt, receives, deaths, died: death.attempt, first, last };
  const isUnderWay = deadLetter.status === 'redriven' && deadLetter.redriven.attempt > death.attempt;
  if (isUnderWay) return keep({ ...known, status: 'redriven', redriven: deadLetter.redriven }, last.reason);
  return keep({ ...known, status: 'dead', ...(redriven && { redriven }) }, last.reason);
}

/**
 * The mark is made after the message was sent: meanwhile the attempt may have died, or another call may have sent it
 * too.
 */
function redriven(
  deadLetter: DeadLetter | undefined,
  { id: by, attempt }: { id: string; attempt: number },
  at: EpochMs,
): Decision<DeadLetter> {
  if (!deadLetter) return nothing('given back; the dead letter expired meanwhile');
  if (attempt <= deadLetter.died) return nothing(`given back, and died again at once: ${deadLetter.last.reason}`);
  if (deadLetter.status === 'dropped') return nothing('given back, while another call dropped it');
  if (deadLetter.redriven && attempt <= deadLetter.redriven.attempt)
    return nothing(`given back, as another call did too (${deadLetter.redriven.by})`);
  return keep({ ...deadLetter, status: 'redriven', redriven: { attempt, at, by } }, 'an operator gave it back');
}

function dropped(deadLetter: DeadLetter | undefined, by: string, at: EpochMs): Decision<DeadLetter> {
  if (!deadLetter) return nothing('no dead letter has this id, or it has expired');
  if (deadLetter.status === 'dropped') return nothing('dropped already');
  return keep({ ...deadLetter, status: 'dropped', message: '', dropped: { at, by } }, 'an operator dropped it');
}

const failureOf = ({ code, reason }: Death, at: EpochMs): Failure => ({ code, reason: shortened(reason), at });

/**
 * A reason as it is stored: neither the cut nor a quote in it may leave half a character, which no service stores
 * unchanged.
 */
export const shortened = (reason: string): string =>
  (reason.length > reasonCharsMax ? `${reason.slice(0, reasonCharsMax)}…` : reason).toWellFormed();

function storedMessage(body: string): Pick<DeadLetter, 'message' | 'bytes' | 'cut'> {
  const bytes = Buffer.from(body);
  if (bytes.length <= messageBytesMax) return { message: body, bytes: bytes.length };
  // Decoded as a stream, because the cut may go through a character.
  const message = new TextDecoder().decode(bytes.subarray(0, messageBytesMax), { stream: true });
  return { message, bytes: bytes.length, cut: true };
}

/** The next attempt of a dead letter, or the reason why it cannot be given back; `done` when that is not needed. */
export function redriveOf(
  deadLetter: DeadLetter | undefined,
  again: boolean,
): { readonly attempt: number } | { readonly done: boolean; readonly because: string } {
  if (!deadLetter) return { done: false, because: 'no dead letter has this id, or it has expired' };
  if (deadLetter.status === 'dropped') return { done: false, because: 'an operator dropped it' };
  if (deadLetter.status === 'redriven' && !again)
    return { done: true, because: `given back already, ${new Date(deadLetter.redriven.at).toISOString()}, and it has not died since` };
  if (deadLetter.cut) return { done: false, because: deadLetter.queue === 'feed' ? cutImage : cutMessage };
  return { attempt: Math.max(deadLetter.died, deadLetter.redriven?.attempt ?? 0) + 1 };
}

const cutMessage = 'the message was too long to be stored whole: its sender must send it again';
/** Of an image: its events have no sender that could repeat them. */
const cutImage = 'the image was not stored whole, so its events cannot be published: subscribers see the gap in their numbers';

/** A dead letter as stored by versions without redrives. */
type Before = Pick<Known, 'id' | 'via' | 'message' | 'sentAt' | 'receives'> & Omit<Failure, 'at'> & { readonly deadAt: EpochMs };
/** The length in characters at which those versions cut a message. */
const cutBefore = 64 * 1024;

/** A stored dead letter in the present form: during a deployment the previous version still writes its own form. */
export function upToDate(stored: DeadLetter | Before): DeadLetter {
  if (!('deadAt' in stored)) return stored;
  const { id, via, message, sentAt, receives, code, reason, deadAt: at } = stored;
  const failure = { code, reason: shortened(reason), at };
  // The old form has no queue; that of the reports takes every report. Of an image it has only the events, which do not
  // suffice.
  const queue = via === 'feed' ? 'feed' : 'reports';
  const isCut = via === 'feed' || message.length >= cutBefore;
  const bytes = Buffer.byteLength(message);
  const known = { id, queue, via, message, bytes, sentAt, receives, deaths: 1, died: 0, first: failure, last: failure } as const;
  return { ...known, status: 'dead', ...(isCut && { cut: true }) };
}
