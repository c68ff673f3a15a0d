import type { EpochMs } from '../core/time.ts';
import type { Row } from '../ports/table/table.ts';
import { stateOf } from '../runtime/content.ts';
import { cursorAt, positionOf } from '../runtime/cursors.ts';
import type { Answer } from '../runtime/on-route.ts';
import { readAll } from '../runtime/read-all.ts';
import type { Shell } from '../runtime/shell.ts';
import { blindPage, type PageOf } from './blind-page.ts';

/**
 * The list of the table to read, and the query that its cursors belong to. `isSeen` is present when parts of the list
 * are hidden from the caller: the answer is then as if the list held nothing else.
 */
type Listed<S> = { readonly list: string; readonly signature: string; readonly isSeen?: ((state: S) => boolean) | undefined };
type PageQuery = { readonly cursor?: string | undefined; readonly limit: number };

/**
 * The page of a list that a call asks for, in the list's order. Index entries are only a hint: every row is read again,
 * and rows for which `view` gives undefined are left out. Throws a Refusal for a cursor of another query.
 */
export async function listPage<S>(
  shell: Shell,
  { list, signature, isSeen }: Listed<S>,
  { cursor, limit }: PageQuery,
  view: (state: S, now: EpochMs, row: Row) => object | undefined | Promise<object | undefined>,
): Promise<Answer> {
  const after = await positionOf(shell, cursor, signature);
  const from = { index: 'list', pk: list, limit, ...(after !== undefined && { after }) } as const;
  const { rows, next } = await (isSeen ? blindPage(shell, from, (row) => seenIn(shell, row, isSeen)) : wholePage(shell, from));
  const now = shell.now();
  const views = await Promise.all(
    rows.map((row) => {
      const state = stateOf<S>(row, now);
      return state && view(state, now, row!);
    }),
  );
  const items = views.filter((item) => item !== undefined);
  return { status: 200, body: { items, ...(next !== undefined && { next: await cursorAt(shell, next, signature) }) } };
}

const seenIn = <S>(shell: Shell, row: Row, isSeen: (state: S) => boolean): boolean => {
  const state = stateOf<S>(row, shell.now());
  return state !== undefined && isSeen(state);
};

/** A page of a list that hides nothing from the caller. */
async function wholePage(shell: Shell, from: PageOf): Promise<{ rows: readonly (Row | undefined)[]; next?: string | undefined }> {
  const page = await shell.table.queryIndex(from);
  const keys = page.items.map(({ key }) => key);
  return { rows: await readAll(shell, keys), next: page.next };
}
