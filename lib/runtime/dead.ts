import { write } from '../decision.ts';
import { Conflict } from '../errors.ts';
import type { Message } from '../queue/queue.ts';
import { dayMs, plusMs } from '../units.ts';
import { contentOf } from './content.ts';
import type { Shell } from './shell.ts';

/** What is put aside: a message as its consumer saw it, or an image of the feed. */
export type Undeliverable = Omit<Message, 'via'> & { readonly via: Message['via'] | 'feed' };

/** A message or image that can never succeed, or a message that failed on its last receive. Kept 14 days. */
export type DeadLetter = {
  readonly id: string;
  readonly via: Undeliverable['via'];
  readonly message: string;
  readonly code: string;
  readonly reason: string;
  readonly sentAt: number;
  readonly deadAt: number;
  readonly receives: number;
};

/** How much of a message is kept. */
const messageCharsMax = 64 * 1024;
const deadForMs = 14 * dayMs;

/** Puts a message aside with its reason; again for the same message changes nothing. */
export async function putAside(
  shell: Shell,
  { id, via, body, sentAt, receives }: Undeliverable,
  code: string,
  reason: string,
): Promise<void> {
  const now = shell.now();
  const letter: DeadLetter = { id, via, message: body.slice(0, messageCharsMax), code, reason, sentAt, deadAt: now, receives };
  const ref = { noun: 'dead', id };
  const put = contentOf(ref, undefined, write(letter, reason, { expiresAt: plusMs(now, deadForMs) }), { by: id, at: now, exact: true });
  try {
    await shell.table.commit([{ put: put!, readRev: 0 }]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
  shell.log('warn', 'report.dead', { id, reason: code, detail: reason });
}
