import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { addedUp, type RefusedKnocks, refusalRows, refusalsRef } from './refusal.ts';

/** Refusals that this environment has yet to store, and when it last stored some. */
export type Unstored = { refused: RefusedKnocks[]; storedAt: number };

/** The refusals that an environment has yet to store. */
export const unstored = (shell: Pick<Shell, 'caches'>): Unstored => cached(shell, 'refused knocks', () => ({ refused: [], storedAt: 0 }));

/**
 * The knocks that were refused within the last hour, by reason, address and token, the latest first: at most 32 of each
 * of 8 rows. Counts are of at least so many: an environment stores its own every ten seconds, and the last ones of one
 * that falls quiet are missing.
 */
export async function refusedLately(shell: Shell): Promise<RefusedKnocks[]> {
  const rows = await readRows(
    shell,
    Array.from({ length: refusalRows }, (_, n) => refusalsRef(n)),
    'lately',
  );
  const stored = rows.flatMap((row) => stateOf(row, shell.now())?.refused ?? []);
  return addedUp([...stored, ...unstored(shell).refused], shell.now());
}
