/**
 * A query as a tree: every system, all or any of several queries, the systems that a query leaves out, or one term. The
 * parser makes `and` and `or` with two queries at least, and `all` for an empty text alone.
 */
export type Query =
  | { readonly op: 'all' }
  | { readonly op: 'and' | 'or'; readonly of: readonly Query[] }
  | { readonly op: 'not'; readonly of: Query }
  | Term;

/** One test of one field. `at`: column of its first character in the text, from 1; `text`: as it was written. */
export type Term = { readonly op: 'term'; readonly field: string; readonly test: Test; readonly at: number; readonly text: string };

/** What the values of a field are held against. A system passes if one of its values does. */
export type Test =
  /** The field has a value: `tag:*`. */
  | { readonly is: 'present' }
  /**
   * The whole value is as one of these globs has it (lib/search/language/glob.ts): without `*`, `?` and `[…]` it is
   * exact, and a backslash makes the next character a literal.
   */
  | { readonly is: 'glob'; readonly any: readonly string[] }
  /** One of these patterns is found in the value, anywhere unless it is anchored (lib/search/language/regex.ts). */
  | { readonly is: 'regex'; readonly any: readonly string[] }
  /** The address lies in one of these ranges. */
  | { readonly is: 'network'; readonly any: readonly AddressRange[] }
  /**
   * The number lies between `from` and `to`, both of them included unless they are open. A moment is in milliseconds
   * since the epoch, a size in bytes; of a field that holds text, the values that are numbers count.
   */
  | {
      readonly is: 'range';
      readonly from?: number;
      readonly to?: number;
      readonly fromOpen?: boolean;
      readonly toOpen?: boolean;
    };

/**
 * Addresses from the first to the last, both included: 32 bits of IPv4, 128 bits of IPv6. An IPv4 address that is
 * mapped into IPv6 is of version 4.
 */
export type AddressRange = { readonly version: 4 | 6; readonly from: bigint; readonly to: bigint };

/** A test by a range of numbers. */
export type Range = Extract<Test, { is: 'range' }>;

/** The longest query, in characters (UTF-16 units): 10 KB. */
export const queryMax = 10_240;
/** The most terms of a query. Each value with a wildcard counts, because each is looked up on its own. */
export const termsMax = 100;
/** How deep parentheses and negations nest at most. */
export const depthMax = 50;
/** The most regular expressions of a query: each is held against every value of its field. */
export const regexesMax = 10;
