import type { IndexQuery, Row } from '../ports/table/table.ts';
import { readAll } from '../runtime/read-all.ts';
import type { Shell } from '../runtime/shell.ts';

/** Where to read a page: a list of an index, a range in it, and the position to start after. */
export type PageOf = Omit<IndexQuery, 'limit'> & { readonly limit: number };
/** The rows of a page in list order, and the position of the last one when more rows follow. */
export type BlindPage = { readonly rows: readonly Row[]; readonly next?: string };

/** How many index entries one query reads. */
const entriesPerQuery = 200;

/**
 * A page of the rows that `isSeen` lets the caller see, as if the list held no others. The page is full whenever enough
 * of them exist, and its position is that of a row that the caller sees. Hidden rows cost as much as visible ones: use
 * it for lists that stay short.
 */
export async function blindPage(shell: Shell, { limit, ...query }: PageOf, isSeen: (row: Row) => boolean): Promise<BlindPage> {
  const seen: { readonly sk: string; readonly row: Row }[] = [];
  for (let after = query.after; seen.length <= limit; ) {
    const page = await shell.table.queryIndex({ ...query, limit: entriesPerQuery, ...(after !== undefined && { after }) });
    const rows = await readAll(
      shell,
      page.items.map(({ key }) => key),
    );
    seen.push(...rows.flatMap((row, i) => (row && isSeen(row) ? [{ sk: page.items[i]!.sk, row }] : [])));
    if (page.next === undefined) break;
    after = page.next;
  }
  const visible = seen.slice(0, limit);
  return { rows: visible.map(({ row }) => row), ...(seen.length > limit && { next: visible.at(-1)!.sk }) };
}
