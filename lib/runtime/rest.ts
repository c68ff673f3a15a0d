import { nothing, type RowRef, type Tick } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { apply } from './apply.ts';
import { readRow } from './read.ts';
import type { Shell } from './shell.ts';

/**
 * What a look at a due row came to that changes nothing: when to look again, if ever, why, and the revision that this
 * rests on.
 */
export type Rest = { readonly wakeAt?: EpochMs | undefined; readonly because: string; readonly rev: number };

/**
 * Has a row that was due rest until it is to be looked at again; at once where somebody has written it since it was
 * read.
 */
export async function restUntil(shell: Shell, ref: RowRef, { wakeAt, because, rev }: Rest): Promise<void> {
  const row = await readRow(shell, ref);
  if (row?.rev !== rev) return;
  let at = wakeAt;
  const input: Tick & { readonly id: string } = { type: 'tick', id: `rest-${shell.newId()}` };
  const decide = () => {
    const rests = nothing(because, at);
    // Whoever makes the commit conflict wants it looked at soon.
    at = shell.now();
    return rests;
  };
  await apply(shell, ref, input, decide, row);
}
