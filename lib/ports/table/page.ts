import { pageBytesMax } from './limits.ts';
import { compareUtf8, isInRange, remaining } from './order.ts';
import type { Page, RowQuery } from './table.ts';

/** An item for a page: its sort key and the bytes that it counts for. */
export type Sized<T> = { readonly sk: string; readonly item: T; readonly bytes: number };

/** A page and the bytes that were read for it. */
export type Filled<T> = { readonly page: Page<T>; readonly bytes: number };

/**
 * One page of items that are already in range and in order: `limit` items at most, and as many as fit into 1 MB, at
 * least one.
 */
export function fillPage<T>(sorted: Iterable<Sized<T>>, limit: number): Filled<T> {
  const items: T[] = [];
  let bytes = 0;
  let last = '';
  for (const next of sorted) {
    if (items.length === limit || (items.length > 0 && bytes + next.bytes > pageBytesMax)) return { page: { items, next: last }, bytes };
    items.push(next.item);
    bytes += next.bytes;
    last = next.sk;
  }
  return { page: { items }, bytes };
}

/** One page of a whole partition given in no order. */
export function cutPage<T>(partition: readonly Sized<T>[], query: Omit<RowQuery, 'pk'>): Filled<T> {
  const range = remaining(query, query.after, query.descending);
  const sorted = partition
    .filter(({ sk }) => sk !== query.after && isInRange(sk, range))
    .sort((a, b) => (query.descending ? compareUtf8(b.sk, a.sk) : compareUtf8(a.sk, b.sk)));
  return fillPage(sorted, query.limit);
}
