import {
  allOf,
  type Bitmap,
  bitsOf,
  bitsOfWord,
  has,
  hasBit,
  listOf,
  listShare,
  noneOf,
  placeIn,
  rangeOf,
  setBit,
  setRange,
  unsortedOf,
  wordsIn,
  wordsOf,
} from './bitmap.ts';

/** How much longer the other list must be for a search in it to cost less than a walk along both. */
const gallopFrom = 16;

/** The ordinals that both sets hold. */
export function and(a: Bitmap, b: Bitmap): Bitmap {
  if (a.count > b.count) return and(b, a);
  if (a.count === 0 || b.count === b.size) return a;
  if (a.is === 'range') return within(b, a.from, a.to);
  if (b.is === 'range') return within(a, b.from, b.to);
  if (a.is === 'list') return filtered(a.ordinals, b, true);
  return b.is === 'list' ? filtered(b.ordinals, a, true) : bothBits(a.size, a.words, b.words, 0);
}

/** The ordinals that the first set holds and the second does not. */
export function andNot(a: Bitmap, b: Bitmap): Bitmap {
  if (a.count === 0 || b.count === 0) return a;
  if (a.is === 'list') return filtered(a.ordinals, b, false);
  if (b.is === 'range' && a.is === 'range' && (b.from <= a.from || b.to >= a.to))
    return b.from <= a.from ? rangeOf(a.size, Math.max(a.from, b.to), a.to) : rangeOf(a.size, a.from, Math.min(a.to, b.from));
  if (a.is === 'bits' && b.is === 'bits') return bothBits(a.size, a.words, b.words, -1);
  const words = wordsOf(a);
  if (b.is === 'list') {
    for (const ordinal of b.ordinals) words[ordinal >>> 5] = (words[ordinal >>> 5] ?? 0) & ~(1 << (ordinal & 31));
    return bitsOf(a.size, words);
  }
  return bothBits(a.size, words, b.is === 'bits' ? b.words : wordsOf(b), -1, words);
}

/** The ordinals that the set does not hold. */
export const not = (a: Bitmap): Bitmap => andNot(allOf(a.size), a);

/** The ordinals that at least one of the sets holds; none of no sets. */
export function or(size: number, sets: readonly Bitmap[]): Bitmap {
  const [first, ...more] = sets.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  if (!first) return noneOf(size);
  if (more.length === 0 || first.count === size) return first;
  const total = more.reduce((sum, { count }) => sum + count, first.count);
  if (total * listShare <= size) return unsortedOf(size, together([first, ...more], total));
  const words = wordsOf(first);
  for (const set of more) add(words, set);
  return bitsOf(size, words);
}

/** Adds a set to bits that the caller owns. */
export function add(words: Uint32Array, set: Bitmap): void {
  if (set.is === 'range') setRange(words, set.from, set.to);
  else if (set.is === 'list') for (const ordinal of set.ordinals) setBit(words, ordinal);
  else for (let at = 0; at < words.length; at++) words[at] = (words[at] ?? 0) | (set.words[at] ?? 0);
}

/** How many ordinals both sets hold, without making the set of them. */
export function countBoth(a: Bitmap, b: Bitmap): number {
  if (a.is !== 'bits' || b.is !== 'bits') return a.is === 'bits' && b.is === 'list' ? countIn(b, a) : and(a, b).count;
  let count = 0;
  for (let at = 0; at < a.words.length; at++) count += bitsOfWord((a.words[at] ?? 0) & (b.words[at] ?? 0));
  return count;
}

function countIn(list: Extract<Bitmap, { is: 'list' }>, { words }: Extract<Bitmap, { is: 'bits' }>): number {
  let count = 0;
  for (const ordinal of list.ordinals) if (hasBit(words, ordinal)) count += 1;
  return count;
}

/** `a & (b ^ flip)` of every word: both with 0, the first alone with -1. */
function bothBits(size: number, a: Uint32Array, b: Uint32Array, flip: 0 | -1, into: Uint32Array = new Uint32Array(wordsIn(size))): Bitmap {
  let count = 0;
  for (let at = 0; at < into.length; at++) {
    const word = (a[at] ?? 0) & ((b[at] ?? 0) ^ flip);
    into[at] = word;
    count += bitsOfWord(word);
  }
  return bitsOf(size, into, count);
}

/** The bits of a range of a set, or a part of its list. */
function within(set: Bitmap, from: number, to: number): Bitmap {
  if (set.is === 'list') return listOf(set.size, set.ordinals.subarray(placeIn(set.ordinals, from), placeIn(set.ordinals, to)));
  if (set.is === 'range') return rangeOf(set.size, Math.max(set.from, from), Math.min(set.to, to));
  const mask = new Uint32Array(wordsIn(set.size));
  setRange(mask, from, to);
  return bothBits(set.size, mask, set.words, 0, mask);
}

/** The entries of a list that a set holds, or those that it does not. */
function filtered(list: Uint32Array, set: Bitmap, holds: boolean): Bitmap {
  const kept = new Uint32Array(list.length);
  const isWalk = set.is === 'list' && set.count < list.length * gallopFrom;
  const count = isWalk ? walked(list, set.ordinals, holds, kept) : looked(list, set, holds, kept);
  return { is: 'list', size: set.size, count, ordinals: kept.subarray(0, count) };
}

/** Fills what is kept of a list by a walk along both. */
function walked(list: Uint32Array, other: Uint32Array, holds: boolean, kept: Uint32Array): number {
  let [filled, at] = [0, 0];
  for (const ordinal of list) {
    while (at < other.length && (other[at] ?? 0) < ordinal) at += 1;
    if ((other[at] === ordinal) === holds) kept[filled++] = ordinal;
  }
  return filled;
}

/** Fills what is kept of a list by looking for each entry. */
function looked(list: Uint32Array, set: Bitmap, holds: boolean, kept: Uint32Array): number {
  let filled = 0;
  if (set.is === 'bits') {
    for (const ordinal of list) if (hasBit(set.words, ordinal) === holds) kept[filled++] = ordinal;
  } else for (const ordinal of list) if (has(set, ordinal) === holds) kept[filled++] = ordinal;
  return filled;
}

function together(sets: readonly Bitmap[], total: number): Uint32Array {
  const all = new Uint32Array(total);
  let filled = 0;
  for (const set of sets) {
    if (set.is === 'list') all.set(set.ordinals, filled);
    else for (let n = 0; n < set.count; n++) all[filled + n] = (set.is === 'range' ? set.from : 0) + n;
    filled += set.count;
  }
  return all;
}
