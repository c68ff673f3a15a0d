import { or } from './algebra.ts';
import { type Bitmap, bitsOf, listShare, setBit, wordsIn } from './bitmap.ts';
import { Growing } from './growing.ts';
import { eachOf, emptyPostings, type Postings, readSet, writeSet } from './postings.ts';
import { compareTexts, packTexts, type Texts } from './texts.ts';

/** A field of words: its distinct values in order, and for each of them the documents that have it. */
export type Keywords = { readonly values: Texts; readonly postings: Postings };

/**
 * From so many values on, their documents are marked one by one: a set for each would cost more than its few entries.
 */
const manyValues = 64;

/** The documents that have at least one of these values, by their places. */
export function withValues({ postings }: Keywords, places: readonly number[]): Bitmap {
  const size = postings.size;
  const total = places.reduce((sum, place) => sum + (postings.counts[place] ?? 0), 0);
  if (places.length < manyValues || total * listShare <= size) {
    const sets = places.map((place) => readSet(postings, place));
    return or(size, sets);
  }
  const words = new Uint32Array(wordsIn(size));
  for (const place of places) eachOf(postings, place, (ordinal) => setBit(words, ordinal));
  return bitsOf(size, words);
}

/** Collects the values of a field, document by document in their order. */
export class KeywordsBuilder {
  readonly #numbers = new Map<string, number>();
  /** The last document that has a value, by the value's number. */
  readonly #last: number[] = [];
  readonly #values = new Growing();
  readonly #ordinals = new Growing();

  /** Adds the values of a document; one that comes twice counts once. */
  add(ordinal: number, values: readonly string[]): void {
    for (const value of values) {
      const number = this.#numbers.get(value) ?? this.#last.length;
      if (number === this.#last.length) this.#numbers.set(value, number);
      else if (this.#last[number] === ordinal) continue;
      this.#last[number] = ordinal;
      this.#values.push(number);
      this.#ordinals.push(ordinal);
    }
  }

  /** The field of this many documents. */
  build(size: number): Keywords {
    const texts = [...this.#numbers.keys()].sort(compareTexts);
    const places = new Uint32Array(texts.length);
    for (const [place, text] of texts.entries()) places[this.#numbers.get(text) ?? 0] = place;
    const { counts, grouped } = groupedBy(
      places,
      this.#values.view().map((number) => places[number] ?? 0),
      this.#ordinals.view(),
    );
    const postings = emptyPostings(size, counts);
    let end = 0;
    for (let place = 0; place < counts.length; place++) {
      const start = end;
      end += counts[place] ?? 0;
      writeSet(postings, place, grouped.subarray(start, end));
    }
    return { values: packTexts(texts), postings };
  }
}

/** Groups entries by their group, and leaves them in their order within each (a counting sort). */
export function groupedBy(
  { length: groups }: { readonly length: number },
  groupOf: Uint32Array,
  entries: Uint32Array,
): { counts: Uint32Array; grouped: Uint32Array } {
  const counts = new Uint32Array(groups);
  for (const group of groupOf) counts[group] = (counts[group] ?? 0) + 1;
  const next = new Uint32Array(groups);
  for (let group = 1; group < groups; group++) next[group] = (next[group - 1] ?? 0) + (counts[group - 1] ?? 0);
  const grouped = new Uint32Array(entries.length);
  for (let n = 0; n < entries.length; n++) {
    const at = next[groupOf[n] ?? 0] ?? 0;
    grouped[at] = entries[n] ?? 0;
    next[groupOf[n] ?? 0] = at + 1;
  }
  return { counts, grouped };
}
