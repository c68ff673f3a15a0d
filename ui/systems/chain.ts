/** How many client systems a page of the list has: some screens, and an answer of about 10 KB. */
export const pageSize = 100;

/**
 * The pages of a list that are known so far. Each begins behind the last item of the one before, so that what comes
 * and goes between two answers leaves no item out. `sizes`: how many items a page that was read has.
 */
export type Chain = { readonly cursors: readonly string[]; readonly sizes: readonly number[]; readonly isWhole: boolean };

/** A list of which nothing is known but where it begins. */
export const unread: Chain = { cursors: [''], sizes: [], isWhole: false };

/** The list once the n-th page was read, or read again; the same if that is no news. */
export function grown(chain: Chain, n: number, page: { readonly items: readonly unknown[]; readonly next?: string | undefined }): Chain {
  const { cursors, sizes, isWhole } = chain;
  const { next } = page;
  const isSame = sizes[n] === page.items.length && cursors[n + 1] === next;
  if (isSame && (next !== undefined || isWhole)) return chain;
  const before = { cursors: cursors.slice(0, n + 1), sizes: [...sizes.slice(0, n), page.items.length] };
  if (next === undefined) return { ...before, isWhole: true };
  // What follows another item than before is another page, but most of its items will be those that stood there.
  return {
    cursors: [...before.cursors, next, ...cursors.slice(n + 2)],
    sizes: [...before.sizes, ...sizes.slice(n + 1)],
    isWhole: isWhole && n < cursors.length - 1,
  };
}

/** Where the n-th page begins: how many items are before it. */
export const startOf = ({ sizes }: Chain, n: number): number => {
  let start = 0;
  for (let at = 0; at < n; at++) start += sizes[at] ?? pageSize;
  return start;
};

/** Which page an item is on, from its index, and where on that page. */
export function placeOf({ sizes, cursors }: Chain, index: number): { readonly page: number; readonly at: number } {
  let at = index;
  for (let page = 0; page < cursors.length - 1; page++) {
    const size = sizes[page] ?? pageSize;
    if (at < size) return { page, at };
    at -= size;
  }
  return { page: cursors.length - 1, at };
}

/** How many rows the list shows: those that were read, and room for a page that follows. `total`: how many match. */
export function rowsOf(chain: Chain, total: number): number {
  const read = startOf(chain, chain.sizes.length);
  return chain.isWhole ? read : Math.max(read, Math.min(total, read + pageSize));
}

/** The pages that rows `from` to `to` are on, with those that a moment of scrolling needs next. */
export function pagesFor(chain: Chain, from: number, to: number): readonly number[] {
  const ahead = pageSize;
  const first = placeOf(chain, Math.max(0, from - ahead)).page;
  const last = placeOf(chain, to + ahead).page;
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}
