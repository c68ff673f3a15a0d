import type { IndexQuery, Row } from '../ports/table/table.ts';
import { readAll } from '../runtime/read-all.ts';
import type { Shell } from '../runtime/shell.ts';

/** Where a page is read: a list of an index, in a range, behind a position. */
export type PageOf = Omit<IndexQuery, 'limit'> & { readonly limit: number };
/** Rows of a page in the list's order, and the position behind the last of them when there is another. */
export type BlindPage = { readonly rows: readonly Row[]; readonly next?: string };

/** Index entries that are looked at in one go. */
const lookedAtOnce = 200;

/**
 * A page of the rows that `isSeen` leaves to a caller, as if the list held no others: it is full whenever there are
 * enough of them, and its position is that of a row that the caller sees. It costs what the hidden rows cost, too: for
 * lists that stay short.
 */
export async function blindPage(shell: Shell, { limit, ...query }: PageOf, isSeen: (row: Row) => boolean): Promise<BlindPage> {
  const seen: { readonly sk: string; readonly row: Row }[] = [];
  for (let after = query.after; seen.length <= limit; ) {
    const page = await shell.table.queryIndex({ ...query, limit: lookedAtOnce, ...(after !== undefined && { after }) });
    const rows = await readAll(
      shell,
      page.items.map(({ key }) => key),
    );
    seen.push(...rows.flatMap((row, i) => (row && isSeen(row) ? [{ sk: page.items[i]!.sk, row }] : [])));
    if (page.next === undefined) break;
    after = page.next;
  }
  const shown = seen.slice(0, limit);
  return { rows: shown.map(({ row }) => row), ...(seen.length > limit && { next: shown.at(-1)!.sk }) };
}
