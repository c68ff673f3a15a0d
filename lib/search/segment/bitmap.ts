/**
 * A set of ordinals below `size`, in the form that is smallest: a `range`, which costs nothing, a sorted `list` below a
 * 32nd of the size, and `bits` above. `count` is how many ordinals it holds. Nobody changes one after it was made.
 */
export type Bitmap =
  | { readonly is: 'range'; readonly size: number; readonly count: number; readonly from: number; readonly to: number }
  | { readonly is: 'list'; readonly size: number; readonly count: number; readonly ordinals: Uint32Array }
  | { readonly is: 'bits'; readonly size: number; readonly count: number; readonly words: Uint32Array };

/** A list takes 32 bits an ordinal and bits take one bit each of `size`: this is where both are as large. */
export const listShare = 32;

/** The ordinals from `from` up to, and without, `to`. */
export const rangeOf = (size: number, from: number, to: number): Bitmap => ({
  is: 'range',
  size,
  count: Math.max(0, to - from),
  from,
  to: Math.max(from, to),
});

/** Every ordinal. */
export const allOf = (size: number): Bitmap => rangeOf(size, 0, size);

/** No ordinal. */
export const noneOf = (size: number): Bitmap => rangeOf(size, 0, 0);

/** A set from ordinals that are ascending and distinct. The array is kept, not copied. */
export function listOf(size: number, ordinals: Uint32Array): Bitmap {
  if (ordinals.length * listShare <= size) return { is: 'list', size, count: ordinals.length, ordinals };
  const words = new Uint32Array(wordsIn(size));
  for (const ordinal of ordinals) setBit(words, ordinal);
  return { is: 'bits', size, count: ordinals.length, words };
}

/** A set from ordinals in any order, which may repeat. The array is sorted in place, and may be kept. */
export function unsortedOf(size: number, ordinals: Uint32Array): Bitmap {
  if (ordinals.length * listShare > size) {
    const words = new Uint32Array(wordsIn(size));
    for (const ordinal of ordinals) setBit(words, ordinal);
    return bitsOf(size, words);
  }
  ordinals.sort();
  let kept = 0;
  for (const ordinal of ordinals) if (kept === 0 || ordinals[kept - 1] !== ordinal) ordinals[kept++] = ordinal;
  return { is: 'list', size, count: kept, ordinals: ordinals.subarray(0, kept) };
}

/** A set from its bits, whose bits past `size` are 0. The array is kept, unless few bits are set. */
export function bitsOf(size: number, words: Uint32Array, count: number = bitsIn(words)): Bitmap {
  if (count * listShare > size) return { is: 'bits', size, count, words };
  const ordinals = new Uint32Array(count);
  for (let at = 0, filled = 0; filled < count; at++)
    for (let word = words[at] ?? 0; word !== 0; word &= word - 1) ordinals[filled++] = at * 32 + 31 - Math.clz32(word & -word);
  return { is: 'list', size, count, ordinals };
}

/** How many words of 32 bits hold a bit for each ordinal. */
export const wordsIn = (size: number): number => (size + 31) >>> 5;

/** Sets the bit of an ordinal. */
export function setBit(words: Uint32Array, ordinal: number): void {
  const at = ordinal >>> 5;
  words[at] = (words[at] ?? 0) | (1 << (ordinal & 31));
}

/** Whether the bit of an ordinal is set. */
export const hasBit = (words: Uint32Array, ordinal: number): boolean => (((words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 1;

/** How many bits of a word are set (Warren, Hacker's Delight, 5-1). */
export function bitsOfWord(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** How many bits of all words are set. */
export function bitsIn(words: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < words.length; at++) count += bitsOfWord(words[at] ?? 0);
  return count;
}

/** Sets the bits from `from` up to, and without, `to`. */
export function setRange(words: Uint32Array, from: number, to: number): void {
  if (from >= to) return;
  const [first, last] = [from >>> 5, (to - 1) >>> 5];
  const [head, tail] = [-1 << (from & 31), -1 >>> (31 - ((to - 1) & 31))];
  if (first === last) words[first] = (words[first] ?? 0) | (head & tail);
  else {
    words[first] = (words[first] ?? 0) | head;
    words.fill(0xffff_ffff, first + 1, last);
    words[last] = (words[last] ?? 0) | tail;
  }
}

/** The bits of a set in an array of their own, which the caller may change. */
export function wordsOf(bitmap: Bitmap): Uint32Array {
  if (bitmap.is === 'bits') return bitmap.words.slice();
  const words = new Uint32Array(wordsIn(bitmap.size));
  if (bitmap.is === 'range') setRange(words, bitmap.from, bitmap.to);
  else for (const ordinal of bitmap.ordinals) setBit(words, ordinal);
  return words;
}

/** Whether the set holds an ordinal. */
export function has(bitmap: Bitmap, ordinal: number): boolean {
  if (bitmap.is === 'bits') return hasBit(bitmap.words, ordinal);
  if (bitmap.is === 'range') return ordinal >= bitmap.from && ordinal < bitmap.to;
  return bitmap.ordinals[placeIn(bitmap.ordinals, ordinal)] === ordinal;
}

/** The place of the first entry of an ascending list that is not below a value; the length if there is none. */
export function placeIn(list: Uint32Array, value: number, from = 0): number {
  let [low, high] = [from, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Visits the ordinals from `from` on, ascending, as long as `visit` gives true. */
export function each(bitmap: Bitmap, visit: (ordinal: number) => boolean, from = 0): void {
  if (bitmap.is === 'bits') eachBit(bitmap.words, from, bitmap.size, visit);
  else if (bitmap.is === 'range') {
    for (let ordinal = Math.max(from, bitmap.from); ordinal < bitmap.to; ordinal++) if (!visit(ordinal)) return;
  } else for (let at = placeIn(bitmap.ordinals, from); at < bitmap.count; at++) if (!visit(bitmap.ordinals[at] ?? 0)) return;
}

function eachBit(words: Uint32Array, from: number, size: number, visit: (ordinal: number) => boolean): void {
  if (from >= size) return;
  let word = (words[from >>> 5] ?? 0) & (-1 << (from & 31));
  for (let at = from >>> 5; ; word = words[at] ?? 0) {
    while (word !== 0) {
      const lowest = word & -word;
      if (!visit(at * 32 + 31 - Math.clz32(lowest))) return;
      word ^= lowest;
    }
    if (++at >= words.length) return;
  }
}

/** Visits the ordinals below `to`, descending, as long as `visit` gives true. */
export function eachDown(bitmap: Bitmap, visit: (ordinal: number) => boolean, to: number = bitmap.size): void {
  if (bitmap.is === 'bits') eachBitDown(bitmap.words, to, visit);
  else if (bitmap.is === 'range') {
    for (let ordinal = Math.min(to, bitmap.to) - 1; ordinal >= bitmap.from; ordinal--) if (!visit(ordinal)) return;
  } else for (let at = placeIn(bitmap.ordinals, to) - 1; at >= 0; at--) if (!visit(bitmap.ordinals[at] ?? 0)) return;
}

function eachBitDown(words: Uint32Array, to: number, visit: (ordinal: number) => boolean): void {
  if (to <= 0) return;
  let word = (words[(to - 1) >>> 5] ?? 0) & (-1 >>> (31 - ((to - 1) & 31)));
  for (let at = (to - 1) >>> 5; ; word = words[at] ?? 0) {
    while (word !== 0) {
      const bit = 31 - Math.clz32(word);
      if (!visit(at * 32 + bit)) return;
      word ^= 1 << bit;
    }
    if (--at < 0) return;
  }
}

/** The first ordinals from `from` on, at most `count`. */
export function firstOf(bitmap: Bitmap, count: number, from = 0): number[] {
  const found: number[] = [];
  if (count > 0) each(bitmap, (ordinal) => found.push(ordinal) < count, from);
  return found;
}

/** All ordinals, ascending. The array may be the set's own: nobody changes it. */
export function ordinalsOf(bitmap: Bitmap): Uint32Array {
  if (bitmap.is === 'list') return bitmap.ordinals;
  const ordinals = new Uint32Array(bitmap.count);
  let filled = 0;
  each(bitmap, (ordinal) => {
    ordinals[filled++] = ordinal;
    return true;
  });
  return ordinals;
}
