import { Refusal } from '../api/problem.ts';
import { write } from '../core/decision.ts';
import { Conflict, Later } from '../core/errors.ts';
import { plusMs, secondMs } from '../core/time.ts';
import { clockSkewMaxS } from '../identity/signature.ts';
import type { Row } from '../ports/table/table.ts';
import { attemptsMax } from '../runtime/apply.ts';
import { contentOf, stateOf } from '../runtime/content.ts';
import { readRow } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';

/**
 * How long a nonce stays used: as long as its signature is accepted. The signature may begin ahead of our clock and end
 * behind it, and is accepted within the last second too: 10 min and 1 s.
 */
export const nonceForMs = (2 * clockSkewMaxS + 1) * secondMs;

/**
 * Uses up the nonce of a signed call whose body carries no number that only grows: join, node-up, rotate, leaving,
 * knock. `keyId` is the fingerprint of the key that signed. Call it last, after the signature is verified, so that
 * nobody else can use the nonce up. One write. Throws a {@link Refusal} when this very call was made before, and
 * {@link Later} when the table stays busy with it.
 */
export async function useNonce(shell: Shell, keyId: string, nonce: string): Promise<void> {
  const ref = { noun: 'nonce', id: `${keyId}/${nonce}` };
  const by = shell.newId();
  const at = shell.now();
  const used = write({}, 'a signed call was made', { expiresAt: plusMs(at, nonceForMs) });
  let row: Row | undefined;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    try {
      await shell.table.commit([{ put: contentOf(ref, row, used, { by, at, exact: true })!, readRev: row?.rev ?? 0 }]);
      return;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
    row = await readRow(shell, ref);
    // Our own commit, whose answer was lost before the table was asked again.
    if (row?.by === by) return;
    if (stateOf(row, at) !== undefined) throw new Refusal('nonce-reused', 'this very call was made before; sign it again with a new nonce');
    // An expired nonce that is not removed yet is used anew; a second caller meets a newer row. Without a row, the
    // table was only busy.
    if (!row) await shell.sleep(shell.random() * 20 * 2 ** attempt);
  }
  throw new Later('row.busy', `the nonce of a call by ${keyId} kept moving through ${attemptsMax} attempts`);
}
