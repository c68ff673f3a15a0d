import { type Bitmap, bitsOf, each, setBit, wordsIn } from './bitmap.ts';

/**
 * A number of each document, or none. Whole numbers that lie close are differences from `base` in as few bytes as hold
 * them; others are numbers of 64 bits with `base` 0.
 */
export type Numbers = {
  readonly base: number;
  readonly offsets: Uint8Array | Uint16Array | Uint32Array | Float64Array;
  /** A bit for each document that has a number; undefined if all have. */
  readonly present: Uint32Array | undefined;
};

/** The number of a document; undefined if it has none. */
export function numberAt({ base, offsets, present }: Numbers, ordinal: number): number | undefined {
  if (present && (((present[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 0) return undefined;
  const offset = offsets[ordinal];
  return offset === undefined ? undefined : base + offset;
}

/** Packs the numbers of all documents, of which NaN is none. */
export function packNumbers(values: Float64Array): Numbers {
  const bits = new Uint32Array(wordsIn(values.length));
  let [least, most, missing, isWhole] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, true];
  for (let ordinal = 0; ordinal < values.length; ordinal++) {
    const value = values[ordinal] ?? Number.NaN;
    if (Number.isNaN(value)) missing += 1;
    else {
      setBit(bits, ordinal);
      if (value < least) least = value;
      if (value > most) most = value;
      isWhole &&= Number.isSafeInteger(value);
    }
  }
  const present = missing > 0 ? bits : undefined;
  if (!isWhole || most - least > 0xffff_ffff) return { base: 0, offsets: values.slice(), present };
  const base = missing === values.length ? 0 : least;
  const offsets = most - base <= 0xff ? new Uint8Array(values.length) : offsetsFor(most - base, values.length);
  for (let ordinal = 0; ordinal < values.length; ordinal++) {
    const value = values[ordinal] ?? Number.NaN;
    if (!Number.isNaN(value)) offsets[ordinal] = value - base;
  }
  return { base, offsets, present };
}

const offsetsFor = (span: number, length: number): Uint16Array | Uint32Array =>
  span <= 0xffff ? new Uint16Array(length) : new Uint32Array(length);

/** The bounds of a range, each included unless it is open. */
export type Bounds = { readonly from?: number; readonly to?: number; readonly fromOpen?: boolean; readonly toOpen?: boolean };

/** Whether a number lies between the bounds. */
export function isBetween(value: number, { from, to, fromOpen, toOpen }: Bounds): boolean {
  if (from !== undefined && (fromOpen ? value <= from : value < from)) return false;
  return to === undefined || (toOpen ? value < to : value <= to);
}

/** The documents whose number passes a test, among candidates at least. */
export function withNumberWhere(numbers: Numbers, test: (value: number) => boolean, candidates: Bitmap): Bitmap {
  const words = new Uint32Array(wordsIn(numbers.offsets.length));
  each(candidates, (ordinal) => {
    const value = numberAt(numbers, ordinal);
    if (value !== undefined && test(value)) setBit(words, ordinal);
    return true;
  });
  return bitsOf(numbers.offsets.length, words);
}

/** The documents whose number lies between the bounds, among candidates at least. */
export function between(numbers: Numbers, bounds: Bounds, candidates: Bitmap): Bitmap {
  const size = numbers.offsets.length;
  if (candidates.is === 'list') return withNumberWhere(numbers, (value) => isBetween(value, bounds), candidates);
  const words = new Uint32Array(wordsIn(size));
  const { base, offsets, present } = numbers;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const value = base + (offsets[ordinal] ?? 0);
    if (isBetween(value, bounds)) words[ordinal >>> 5] = (words[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
  }
  if (present) for (let at = 0; at < words.length; at++) words[at] = (words[at] ?? 0) & (present[at] ?? 0);
  return bitsOf(size, words);
}

/** The documents that have a number. */
export const withNumber = ({ offsets, present }: Numbers): Bitmap =>
  present ? bitsOf(offsets.length, present) : { is: 'range', size: offsets.length, count: offsets.length, from: 0, to: offsets.length };

/**
 * The documents of a set that come first by their number, at most `count`: those without a number last, and equal
 * numbers by their ordinal. `down` turns both orders around, but for those without a number.
 */
export function leading(numbers: Numbers, set: Bitmap, count: number, down: boolean, isAfter: (ordinal: number) => boolean): number[] {
  const key = (ordinal: number): number => numberAt(numbers, ordinal) ?? (down ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  const compare = (a: number, b: number): number => {
    const [one, other] = [numberAt(numbers, a), numberAt(numbers, b)];
    if (one === undefined || other === undefined) if (one !== other) return one === undefined ? 1 : -1;
    const order = (one ?? 0) - (other ?? 0) || a - b;
    return down ? -order : order;
  };
  // Twice as many as are wanted are collected, then cut: a cut is rare, because its last one is a bound for the others.
  let best: number[] = [];
  let bound: number | undefined;
  each(set, (ordinal) => {
    if (bound !== undefined && (down ? key(ordinal) < bound : key(ordinal) > bound)) return true;
    if (!isAfter(ordinal)) return true;
    best.push(ordinal);
    if (best.length >= 2 * count + 16) {
      best = best.sort(compare).slice(0, count);
      const last = best.at(-1);
      bound = last === undefined ? undefined : key(last);
    }
    return true;
  });
  return best.sort(compare).slice(0, count);
}
