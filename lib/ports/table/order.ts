/**
 * The order of two strings by their UTF-8 bytes, as DynamoDB and SQLite sort keys: negative, 0 or positive. JavaScript
 * compares UTF-16 units instead, which puts everything above U+FFFF before U+E000.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = byCodePoint(a.charCodeAt(i)) - byCodePoint(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Moves surrogates, which encode U+10000 and above, behind the other units. */
const byCodePoint = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** A closed range of sort keys; an absent end is open. */
export type SortRange = { readonly from?: string | undefined; readonly to?: string | undefined };

/** Whether no key can be in the range. */
export const isEmptyRange = ({ from, to }: SortRange): boolean => to === '' || (to !== undefined && compareUtf8(from ?? '', to) > 0);

/** Whether the key is in the range. */
export const isInRange = (key: string, { from, to }: SortRange): boolean =>
  (from === undefined || compareUtf8(key, from) >= 0) && (to === undefined || compareUtf8(key, to) <= 0);

/** The range behind the end of the previous page; `after` itself is still within and must be left out by the reader. */
export function remaining(range: SortRange, after: string | undefined, descending = false): SortRange {
  if (after === undefined) return range;
  if (descending) return { from: range.from, to: range.to === undefined || compareUtf8(after, range.to) < 0 ? after : range.to };
  return { from: range.from === undefined || compareUtf8(after, range.from) > 0 ? after : range.from, to: range.to };
}

/**
 * Whether no key can be in the range behind the end of the previous page: then the table is not queried, and nothing is
 * counted.
 */
export const isOver = (range: SortRange, after: string | undefined, descending = false): boolean =>
  isEmptyRange(remaining(range, after, descending)) || (after !== undefined && after === (descending ? range.from : range.to));
