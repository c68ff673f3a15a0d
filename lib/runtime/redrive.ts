import { MusterError } from '../core/errors.ts';
import { apply } from './apply.ts';
import { deadLetterRef, putAside, readDeadLetter } from './dead.ts';
import { type DeadLetter, decideDeadLetter, redriveOf } from './dead-letter.ts';
import { type Conclusions, putOnBus } from './on-feed.ts';
import type { Shell } from './shell.ts';

/** The outcome of an order about a dead letter; also done when there was nothing left to do. */
export type Outcome = { readonly done: boolean; readonly because: string };

/**
 * Gives a dead letter back: a message to its queue, the events of an image to the bus. The feed then sees from its row
 * that these belong into the history. First it is sent, then its row is marked, so that every marked row has a sent
 * message. A call that fails or is repeated can send it twice; its consumer ignores repeats. A redriven one that has
 * not died since is left alone unless `again`. `by` is the call's id. Throws {@link Later} for transient failures.
 */
export async function redrive(shell: Shell, id: string, { by, again }: { by: string; again: boolean }): Promise<Outcome> {
  const deadLetter = await readDeadLetter(shell, id);
  const order = redriveOf(deadLetter, again);
  if (!('attempt' in order)) return order;
  const { attempt } = order;
  const refused = await giveBack(shell, deadLetter!, attempt, by);
  if (refused) return { done: false, because: refused };
  const { decision } = await apply(shell, deadLetterRef(id), { type: 'redriven', id: by, attempt }, decideDeadLetter);
  shell.log('info', 'dead.redriven', { id, queue: deadLetter!.queue, attempt, by, because: decision.because });
  return { done: true, because: decision.does === 'nothing' ? decision.because : givenBack(deadLetter!, attempt) };
}

const givenBack = ({ queue }: DeadLetter, attempt: number): string =>
  queue === 'feed' ? `its events were published, attempt ${attempt}` : `given back to the queue ${queue}, attempt ${attempt}`;

/** Sends a dead letter; gives the reason if it can never be sent. */
async function giveBack(shell: Shell, deadLetter: DeadLetter, attempt: number, by: string): Promise<string | undefined> {
  const { id, queue, via, message, sentAt } = deadLetter;
  try {
    if (queue === 'feed' || via === 'feed') await putOnBus([JSON.parse(message) as Conclusions], shell);
    else await shell.queue.send(queue, message, { letter: { id, attempt, via, sentAt } });
    return undefined;
  } catch (error) {
    if (!(error instanceof MusterError) || error.retry === 'later') throw error;
    // No consumer would record that it died again.
    const died = { id: by, queue, via, body: message, sentAt, receives: 1, letter: { id, attempt } };
    await putAside(shell, died, error.code, error.message);
    return `it cannot be given back: ${error.message}`;
  }
}

/**
 * Drops a dead letter: its message is removed, and its row stays for as long as a repeat may come. `by` is the call's
 * id. Throws {@link Later} for transient failures.
 */
export async function drop(shell: Shell, id: string, by: string): Promise<Outcome> {
  const { decision, state } = await apply(shell, deadLetterRef(id), { type: 'drop', id: by }, decideDeadLetter);
  if (decision.does === 'nothing') return { done: state !== undefined, because: decision.because };
  shell.log('info', 'dead.dropped', { id, by });
  return { done: true, because: decision.because };
}
