import type { Ref } from '../core/ref.ts';
import type { Letter, Message } from '../ports/queue/queue.ts';
import { apply } from './apply.ts';
import { type DeadLetter, type Death, decideLetter, shortened, upToDate } from './dead-letter.ts';
import { read } from './read.ts';
import type { Shell } from './shell.ts';

/**
 * What is put aside: a message of a queue as it was first sent, or an image of the feed; with its letter when it was
 * dead before.
 */
export type Undeliverable = Omit<Message, 'via' | 'letter'> &
  Pick<DeadLetter, 'queue' | 'via'> & { readonly letter?: Pick<Letter, 'id' | 'attempt'> };

/**
 * Puts a message aside with its reason; again for the same message changes nothing. A dead letter that was given back
 * and died again counts on in its row. Throws {@link Later} when the row stays busy.
 */
export async function putAside(shell: Shell, what: Undeliverable, code: string, reason: string): Promise<void> {
  const { letter: known, ...message } = what;
  const { id: letter, attempt } = known ?? { id: what.id, attempt: 0 };
  const death: Death = { type: 'death', ...message, letter, attempt, code, reason };
  const { state } = await apply(shell, letterRef(letter), death, decideLetter);
  shell.log('warn', 'report.dead', { id: letter, queue: what.queue, reason: code, detail: shortened(reason), deaths: state?.deaths });
}

/** A letter as it is now; undefined when there is none, or when it has expired. */
export async function readLetter(shell: Shell, id: string): Promise<DeadLetter | undefined> {
  const stored = await read(shell, letterRef(id));
  return stored && upToDate(stored);
}

/** The row of a letter. */
export const letterRef = (id: string): Ref<DeadLetter> => ({ noun: 'dead', id });
