import type { Decision, RowRef } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { apply } from '../runtime/apply.ts';
import { stateOf } from '../runtime/content.ts';
import { readAll } from '../runtime/read-all.ts';
import type { Shell } from '../runtime/shell.ts';
import type { MadeView } from './api-keys/routes.ts';
import type { Lineage } from './subjects/rows/lineage.ts';

/**
 * A key, session or token that was made with a key or by a subject and is still valid, and the function that ends it.
 */
export type Made = { readonly view: MadeView; readonly end: (shell: Shell, call: string) => Promise<unknown> };

/** Whether a thing was made with the key, or by the subject, that is about to end. */
export type IsMade = (one: { readonly madeBy?: Lineage | undefined; readonly createdAt: EpochMs }) => boolean;

/** How many rows of a list are read at a time. */
const pageRows = 200;

/** Every row of a list as the index has it; rows made in the last seconds may be missing. */
export async function statesIn<T>(shell: Shell, list: string): Promise<T[]> {
  const found: T[] = [];
  let after: string | undefined;
  do {
    const page = await shell.table.queryIndex({ index: 'list', pk: list, limit: pageRows, ...(after !== undefined && { after }) });
    const rows = await readAll(
      shell,
      page.items.map(({ key }) => key),
    );
    found.push(...rows.map((row) => stateOf<T>(row, shell.now())).filter((state) => state !== undefined));
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** The view of a key, session or token that was made. */
export const madeView = (kind: MadeView['kind'], id: string, name: string, createdAt: EpochMs): MadeView => ({
  kind,
  id,
  name,
  createdAt: new Date(createdAt).toISOString(),
});

type Revoke = { readonly type: 'revoke'; readonly id: string };

/** Revokes the row of a key, session or token that was made. Gives its state afterwards. */
export async function revokeMade<S>(
  shell: Shell,
  ref: RowRef,
  call: string,
  decide: (state: S | undefined, command: Revoke, now: EpochMs) => Decision<S>,
): Promise<S | undefined> {
  const { state } = await apply(shell, ref, { type: 'revoke', id: call }, decide);
  return state;
}
