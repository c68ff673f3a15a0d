import type { Client, ClientAlias } from '../clients/client.ts';
import type { Fingerprint } from '../ids.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { keyOf } from '../table/keys.ts';
import type { Row } from '../table/table.ts';

/** The row of a client system by either of its fingerprints; undefined when there is none, or it has expired. */
export async function clientRow(shell: Shell, fp: Fingerprint): Promise<{ state: Client; row: Row } | undefined> {
  const row = await shell.table.read(keyOf({ noun: 'client', id: fp }));
  const state = stateOf<Client | ClientAlias>(row, shell.now());
  if (!state) return undefined;
  return state.standing === 'alias' ? clientRow(shell, state.of) : { state, row: row! };
}
