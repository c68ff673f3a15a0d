import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Row } from '../../table/table.ts';
import type { EpochMs } from '../../units.ts';
import { cursorAt, positionOf } from './cursors.ts';

/** Which list of the table is asked for, and the query that its cursors belong to. */
type Listed = { readonly list: string; readonly signature: string };
type PageQuery = { readonly cursor?: string | undefined; readonly limit: number };

/**
 * The page of a list that a call asks for, in the list's order. Index entries are only a hint: every row is read again, and what `view`
 * leaves undefined is not there for the caller, so that a page may be short. Throws a Refusal for a cursor of another query.
 */
export async function listPage<S>(
  shell: Shell,
  { list, signature }: Listed,
  { cursor, limit }: PageQuery,
  view: (state: S, now: EpochMs, row: Row) => object | undefined | Promise<object | undefined>,
): Promise<Answer> {
  const after = await positionOf(shell, cursor, signature);
  const page = await shell.table.queryIndex({ index: 'list', pk: list, limit, ...(after !== undefined && { after }) });
  const keys = page.items.map(({ key }) => key);
  const rows = await readAll(shell, keys);
  const now = shell.now();
  const views = await Promise.all(
    rows.map((row) => {
      const state = stateOf<S>(row, now);
      return state && view(state, now, row!);
    }),
  );
  const items = views.filter((shown) => shown !== undefined);
  return { status: 200, body: { items, ...(page.next !== undefined && { next: await cursorAt(shell, page.next, signature) }) } };
}
