import type { Ref } from '../core/ref.ts';
import type { DeadLetterOrigin, Message } from '../ports/queue/queue.ts';
import { apply } from './apply.ts';
import { type DeadLetter, type Death, decideDeadLetter, shortened, upToDate } from './dead-letter.ts';
import { read } from './read.ts';
import type { Shell } from './shell.ts';

/**
 * An undeliverable message of a queue as it was first sent, or image of the feed; with its dead letter if it died
 * before.
 */
export type Undeliverable = Omit<Message, 'via' | 'letter'> &
  Pick<DeadLetter, 'queue' | 'via'> & { readonly letter?: Pick<DeadLetterOrigin, 'id' | 'attempt'> };

/**
 * Sets a message aside with its reason; a repeat for the same message changes nothing. A redriven dead letter that died
 * again continues to count in its row. Throws {@link Later} when the row stays busy.
 */
export async function putAside(shell: Shell, what: Undeliverable, code: string, reason: string): Promise<void> {
  const { letter: known, ...message } = what;
  const { id: letter, attempt } = known ?? { id: what.id, attempt: 0 };
  const death: Death = { type: 'death', ...message, letter, attempt, code, reason };
  const { state } = await apply(shell, deadLetterRef(letter), death, decideDeadLetter);
  shell.log('warn', 'report.dead', { id: letter, queue: what.queue, reason: code, detail: shortened(reason), deaths: state?.deaths });
}

/** A dead letter as it is now; undefined when there is none, or when it has expired. */
export async function readDeadLetter(shell: Shell, id: string): Promise<DeadLetter | undefined> {
  const stored = await read(shell, deadLetterRef(id));
  return stored && upToDate(stored);
}

/** The row of a dead letter. */
export const deadLetterRef = (id: string): Ref<DeadLetter> => ({ noun: 'dead', id });
