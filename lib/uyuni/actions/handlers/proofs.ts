import type { ActionNumber } from '../../../core/ids.ts';
import { hourMs, plusMs } from '../../../core/time.ts';
import { cursorAt, positionIn } from '../../../runtime/cursors.ts';
import type { Shell } from '../../../runtime/shell.ts';

/**
 * How long something may be recorded under a number that was reserved: a call may wait for its servers for ten minutes.
 * Far shorter than a record is known, so that a number whose record has expired never stands for anything else.
 */
const recordableForMs = hourMs;

/** A proof is made as a cursor is: bound to a number in place of a query, and until when it is good as the position. */
const boundTo = (number: ActionNumber): string => `number of an action ${number}`;

/** The proof that a number was reserved now. */
export const proofOf = (shell: Pick<Shell, 'keys' | 'now'>, number: ActionNumber): Promise<string> =>
  cursorAt(shell, String(plusMs(shell.now(), recordableForMs)), boundTo(number));

/** Whether this deployment has made the proof for the number, and it is still good. */
export async function isProved(shell: Pick<Shell, 'keys' | 'now'>, number: ActionNumber, proof: string): Promise<boolean> {
  const until = await positionIn(shell, proof, boundTo(number));
  return until !== undefined && shell.now() < Number(until);
}
