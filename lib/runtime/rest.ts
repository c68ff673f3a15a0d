import { nothing, type RowRef, type Tick } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { apply } from './apply.ts';
import { readRow } from './read.ts';
import type { Shell } from './shell.ts';

/**
 * The outcome of a check of a due row that changes nothing: when to check again, if ever, the reason, and the revision
 * that was checked.
 */
export type Rest = { readonly wakeAt?: EpochMs | undefined; readonly because: string; readonly rev: number };

/** Lets a due row rest until its next check; the next check is at once if the row was written since it was read. */
export async function restUntil(shell: Shell, ref: RowRef, { wakeAt, because, rev }: Rest): Promise<void> {
  const row = await readRow(shell, ref);
  if (row?.rev !== rev) return;
  let at = wakeAt;
  const input: Tick & { readonly id: string } = { type: 'tick', id: `rest-${shell.newId()}` };
  const decide = () => {
    const rests = nothing(because, at);
    // After a conflict, the row must be checked again soon.
    at = shell.now();
    return rests;
  };
  await apply(shell, ref, input, decide, row);
}
