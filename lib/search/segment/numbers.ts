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
  const packer = new NumbersPacker(values);
  packer.look(0, values.length);
  packer.fill(0, values.length);
  return packer.packed();
}

/** Packs the numbers of all documents part by part: looks at all of them, then fills the column. */
export class NumbersPacker {
  readonly #values: Float64Array;
  readonly #bits: Uint32Array;
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;
  #missing = 0;
  #isWhole = true;
  #offsets: Numbers['offsets'] | undefined;

  constructor(values: Float64Array) {
    this.#values = values;
    this.#bits = new Uint32Array(wordsIn(values.length));
  }

  /** Looks at some of the numbers. */
  look(from: number, to: number): void {
    for (let ordinal = from; ordinal < to; ordinal++) {
      const value = this.#values[ordinal] ?? Number.NaN;
      if (Number.isNaN(value)) this.#missing += 1;
      else {
        setBit(this.#bits, ordinal);
        if (value < this.#least) this.#least = value;
        if (value > this.#most) this.#most = value;
        this.#isWhole &&= Number.isSafeInteger(value);
      }
    }
  }

  /** Fills the column with some of the numbers, after all were looked at. */
  fill(from: number, to: number): void {
    this.#offsets ??= this.#column();
    const base = this.#base();
    for (let ordinal = from; ordinal < to; ordinal++) {
      const value = this.#values[ordinal] ?? Number.NaN;
      if (!Number.isNaN(value)) this.#offsets[ordinal] = value - base;
    }
  }

  /** The column, after all of it was filled. */
  packed(): Numbers {
    return { base: this.#base(), offsets: this.#offsets ?? this.#column(), present: this.#missing > 0 ? this.#bits : undefined };
  }

  #isNarrow(): boolean {
    return this.#isWhole && this.#most - this.#least <= 0xffff_ffff;
  }

  #base(): number {
    return this.#isNarrow() && this.#least < this.#most + 1 ? this.#least : 0;
  }

  #column(): Numbers['offsets'] {
    const { length } = this.#values;
    const span = this.#isNarrow() ? this.#most - this.#least : Number.POSITIVE_INFINITY;
    if (span <= 0xff) return new Uint8Array(length);
    if (span <= 0xffff) return new Uint16Array(length);
    return span <= 0xffff_ffff ? new Uint32Array(length) : new Float64Array(length);
  }
}

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
