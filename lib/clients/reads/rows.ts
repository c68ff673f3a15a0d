import type { ClusterId, Fingerprint } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { read, readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Client, type ClientAlias, clientRef, minionTextRef } from '../client.ts';
import { clusterIdRef } from '../cluster-ids/cluster-ids.ts';

/**
 * The client system that a row is; undefined where there is none, and for a row that leads to another: an index may
 * name an adopted client system whose daemon has introduced itself since.
 */
export function systemIn(row: Row | undefined, now: EpochMs): Client | undefined {
  const state = stateOf<Client | ClientAlias>(row, now);
  return state?.standing === 'alias' ? undefined : state;
}

/** The row of a client system by either of its fingerprints; undefined when there is none, or it has expired. */
export async function clientRow(shell: Shell, fp: Fingerprint): Promise<{ state: Client; row: Row<Client> } | undefined> {
  const row = await readRow(shell, clientRef(fp));
  const state = namedBy(row, shell);
  if (!state) return undefined;
  return state.standing === 'alias' ? clientRow(shell, state.of) : { state, row: row! };
}

/** The client system of a row, or the fingerprint of the row that it is in. */
const namedBy = (row: Row<Client> | undefined, shell: Shell) => stateOf<Client | ClientAlias>(row, shell.now());

/**
 * Client systems by either of their fingerprints, in the order of these; undefined where there is none. A row each, and
 * one more for each fingerprint that is not the one in the row.
 */
export async function clientsBy(shell: Shell, fps: readonly Fingerprint[]): Promise<(Client | undefined)[]> {
  const rows = await readRows(shell, fps.map(clientRef));
  const states = rows.map((row) => namedBy(row, shell));
  const others = [...new Set(states.flatMap((state) => (state?.standing === 'alias' ? [state.of] : [])))];
  const found = others.length === 0 ? [] : await clientsBy(shell, others);
  const byOther = new Map(others.map((fp, i) => [fp, found[i]]));
  return states.map((state) => (state?.standing === 'alias' ? byOther.get(state.of) : state));
}

/**
 * The row of a client system by any of its fingerprints, as people and programs look it up: also by those that Salt
 * 3008 prints of its minion's key. One read more where nothing has the fingerprint.
 */
export async function systemRow(shell: Shell, fp: Fingerprint): Promise<{ state: Client; row: Row<Client> } | undefined> {
  const known = await clientRow(shell, fp);
  if (known) return known;
  const text = await read(shell, minionTextRef(fp));
  return text && clientRow(shell, text.of);
}

/** The row of a client system by its cluster id; undefined when none has it. One read more than by its fingerprint. */
export async function systemRowById(shell: Shell, id: ClusterId): Promise<{ state: Client; row: Row<Client> } | undefined> {
  const owner = await read(shell, clusterIdRef(id));
  return owner && clientRow(shell, owner.of);
}
