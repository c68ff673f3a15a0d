import type { IndexEntry } from '../ports/table/table.ts';
import type { Shell } from './shell.ts';

/** Entries of a list read at once. */
const pageLimit = 1_000;

/**
 * Every entry of a list, in their order, as the index has them: one of the last seconds may be missing. For lists that
 * are read as a whole, such as the nodes of a zone.
 */
export async function wholeList({ table }: Pick<Shell, 'table'>, pk: string): Promise<IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await table.queryIndex({ index: 'list', pk, limit: pageLimit, ...(after !== undefined && { after }) });
    entries.push(...page.items);
    if (page.next === undefined) return entries;
    after = page.next;
  }
}
