import { type Decision, nothing, write } from '../core/decision.ts';
import { dayMs, type EpochMs, plusMs, unreachable } from '../core/time.ts';
import { bodyBytesMax } from '../ports/queue/limits.ts';
import type { Letter, QueueName } from '../ports/queue/queue.ts';

/** Why a message could not be worked on. */
export type Failure = { readonly code: string; readonly reason: string; readonly at: EpochMs };

/** What an operator did to a letter, when, and by which call. */
type Order = { readonly at: EpochMs; readonly by: string };
type Redriven = Order & { readonly attempt: number };

/** The queues whose messages are judged: what the sweep sends itself says nothing. */
export type ReportQueue = Exclude<QueueName, 'sweeps'>;

type Known = {
  readonly id: string;
  /** Where it is given back to: its queue, or for an image of the feed the bus. */
  readonly queue: ReportQueue | 'feed';
  readonly via: Letter['via'] | 'feed';
  /** The message as it came; of a longer one than a queue takes, its beginning. */
  readonly message: string;
  /** How long the whole message is. */
  readonly bytes: number;
  readonly cut?: true;
  readonly sentAt: EpochMs;
  /** How often it was received, over all its attempts. */
  readonly receives: number;
  /** How many of its attempts died. */
  readonly deaths: number;
  /** The latest attempt that died: 0 is the message itself, each redrive is one more. */
  readonly died: number;
  readonly first: Failure;
  readonly last: Failure;
};

/**
 * A message or image that can never succeed, or a message that failed on its last receive. One that was given back
 * stays, so that it is known again when it dies once more; so does one that was dropped, without its message, so that a
 * repeat does not bring it back.
 */
export type DeadLetter = Known &
  (
    | { readonly status: 'dead'; readonly redriven?: Redriven }
    | { readonly status: 'redriven'; readonly redriven: Redriven }
    | { readonly status: 'dropped'; readonly redriven?: Redriven; readonly dropped: Order }
  );

/** An attempt died: what it was, how often it was received, and why. */
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
/** What happens to a letter; `id` is that of the message or of the operator's call. */
export type LetterInput =
  | Death
  | { readonly type: 'redriven'; readonly id: string; readonly attempt: number }
  | { readonly type: 'drop'; readonly id: string };

/** What a queue takes, and so what can be given back; with all else it stays below the 400 KB of a row. */
const messageBytesMax = bodyBytesMax;
/** A reason may quote what was sent. */
const reasonCharsMax = 1_000;
/** As long as SQS keeps its own dead letters: a fortnight's absence loses none. */
const keptForMs = 14 * dayMs;

/** What becomes of a letter. A repeat of what is known already changes nothing. */
export function decideLetter(stored: DeadLetter | undefined, input: LetterInput, now: EpochMs): Decision<DeadLetter> {
  const letter = stored && upToDate(stored);
  switch (input.type) {
    case 'death':
      return letter ? diedAgain(letter, input, now) : keep(firstDeath(input, now), shortened(input.reason));
    case 'redriven':
      return redriven(letter, input, now);
    case 'drop':
      return dropped(letter, input.id, now);
    default:
      return unreachable(input);
  }
}

/**
 * Kept until a fortnight after the last that happened to it; a queue keeps a message for less, so that the row outlives
 * every attempt.
 */
const keep = (letter: DeadLetter, because: string): Decision<DeadLetter> => write(letter, because, { expiresAt: expiresAtOf(letter) });

/** When a letter is forgotten. */
export const expiresAtOf = ({ last, redriven }: DeadLetter): EpochMs => plusMs(Math.max(last.at, redriven?.at ?? 0) as EpochMs, keptForMs);

function firstDeath(death: Death, at: EpochMs): DeadLetter {
  const { letter: id, queue, via, body, sentAt, receives, attempt: died } = death;
  const failure = failureOf(death, at);
  return { id, status: 'dead', queue, via, ...kept(body), sentAt, receives, deaths: 1, died, first: failure, last: failure };
}

/**
 * An attempt counts once, however often its message is handed over; while a later one is under way, the letter is not
 * dead.
 */
function diedAgain(letter: DeadLetter, death: Death, now: EpochMs): Decision<DeadLetter> {
  if (death.attempt <= letter.died) return nothing(`it is known that attempt ${death.attempt} died`);
  const { id, queue, via, sentAt, first, redriven } = letter;
  const receives = letter.receives + death.receives;
  const last = failureOf(death, now);
  const deaths = letter.deaths + 1;
  const known = { id, queue, via, ...kept(death.body), sentAt, receives, deaths, died: death.attempt, first, last };
  const isUnderWay = letter.status === 'redriven' && letter.redriven.attempt > death.attempt;
  if (isUnderWay) return keep({ ...known, status: 'redriven', redriven: letter.redriven }, last.reason);
  return keep({ ...known, status: 'dead', ...(redriven && { redriven }) }, last.reason);
}

/**
 * The mark is made after the message was sent: meanwhile the attempt may have died, or somebody else may have sent it
 * too.
 */
function redriven(letter: DeadLetter | undefined, { id: by, attempt }: { id: string; attempt: number }, at: EpochMs): Decision<DeadLetter> {
  if (!letter) return nothing('given back; it expired meanwhile');
  if (attempt <= letter.died) return nothing(`given back, and it died again at once: ${letter.last.reason}`);
  if (letter.status === 'dropped') return nothing('given back, while somebody dropped it');
  if (letter.redriven && attempt <= letter.redriven.attempt) return nothing(`given back, as another call did too (${letter.redriven.by})`);
  return keep({ ...letter, status: 'redriven', redriven: { attempt, at, by } }, 'an operator gave it back');
}

function dropped(letter: DeadLetter | undefined, by: string, at: EpochMs): Decision<DeadLetter> {
  if (!letter) return nothing('no dead letter has this id, or it has expired');
  if (letter.status === 'dropped') return nothing('dropped already');
  return keep({ ...letter, status: 'dropped', message: '', dropped: { at, by } }, 'an operator dropped it');
}

const failureOf = ({ code, reason }: Death, at: EpochMs): Failure => ({ code, reason: shortened(reason), at });

/**
 * A reason as it is kept: neither the cut nor what it quotes may leave half a character, which no service stores as it
 * is.
 */
export const shortened = (reason: string): string =>
  (reason.length > reasonCharsMax ? `${reason.slice(0, reasonCharsMax)}…` : reason).toWellFormed();

function kept(body: string): Pick<DeadLetter, 'message' | 'bytes' | 'cut'> {
  const bytes = Buffer.from(body);
  if (bytes.length <= messageBytesMax) return { message: body, bytes: bytes.length };
  // As a stream, because the cut may go through a character.
  const message = new TextDecoder().decode(bytes.subarray(0, messageBytesMax), { stream: true });
  return { message, bytes: bytes.length, cut: true };
}

/**
 * Whether a letter can be given back, and by which attempt, or why not; `done` when there is nothing to do any more.
 */
export function redriveOf(
  letter: DeadLetter | undefined,
  again: boolean,
): { readonly attempt: number } | { readonly done: boolean; readonly because: string } {
  if (!letter) return { done: false, because: 'no dead letter has this id, or it has expired' };
  if (letter.status === 'dropped') return { done: false, because: 'an operator dropped it' };
  if (letter.status === 'redriven' && !again)
    return { done: true, because: `given back already, ${new Date(letter.redriven.at).toISOString()}, and it has not died since` };
  if (letter.cut) return { done: false, because: letter.queue === 'feed' ? cutImage : cutMessage };
  return { attempt: Math.max(letter.died, letter.redriven?.attempt ?? 0) + 1 };
}

const cutMessage = 'it is too long to be kept whole: whoever sent it must send it again';
/** Nobody can send an event again. */
const cutImage = 'not all of it was kept, so that its events cannot go out: who follows them sees the gap in their numbers';

/** A letter as versions before redrives kept it. */
type Before = Pick<Known, 'id' | 'via' | 'message' | 'sentAt' | 'receives'> & Omit<Failure, 'at'> & { readonly deadAt: EpochMs };
/** At so many characters they cut a message. */
const cutBefore = 64 * 1024;

/** A stored letter as it is read: while a version is deployed, the one before still writes its own. */
export function upToDate(stored: DeadLetter | Before): DeadLetter {
  if (!('deadAt' in stored)) return stored;
  const { id, via, message, sentAt, receives, code, reason, deadAt: at } = stored;
  const failure = { code, reason: shortened(reason), at };
  // They did not say which queue; that of the reports takes every report. Of an image they kept the events alone, which
  // do not suffice.
  const queue = via === 'feed' ? 'feed' : 'reports';
  const isCut = via === 'feed' || message.length >= cutBefore;
  const bytes = Buffer.byteLength(message);
  const known = { id, queue, via, message, bytes, sentAt, receives, deaths: 1, died: 0, first: failure, last: failure } as const;
  return { ...known, status: 'dead', ...(isCut && { cut: true }) };
}
