import { bitsOf, ordinalsOf, setBit, wordsIn } from './bitmap.ts';
import type { Keywords } from './keywords.ts';
import { type Column, entriesAtOnce, gone } from './merge-ids.ts';
import { bitsToFill, eachOf, emptyPostings, type Postings, writeSet } from './postings.ts';
import { mergeTexts, packTexts, type Texts, textAt, textsIn } from './texts.ts';

/** From this share of documents on, ordinals are brought in order as bits: sorting takes longer. */
const bitsShare = 64;

/**
 * The merged field of several segments, for `size` documents; values that no document has any more are left out. Yields
 * now and then how many entries it has handled since.
 */
export function* mergeKeywords(inputs: readonly Column<Keywords>[], size: number): Generator<number, Keywords> {
  const { texts, places } = yield* mergeTexts(inputs.map(({ column }) => column.values));
  const counts = yield* countsLeft(inputs, places, textsIn(texts));
  const postings = emptyPostings(
    size,
    counts.filter((count) => count > 0),
  );
  const next = inputs.map(() => 0);
  let since = 0;
  for (let place = 0, kept = 0; place < counts.length; place++) {
    const count = counts[place] ?? 0;
    const eachLeft = (visit: (ordinal: number) => void): void => gather(inputs, places, next, place, visit);
    if (count === 0) eachLeft(() => {});
    else fill(postings, kept++, count, eachLeft);
    since += 1 + count;
    if (since < entriesAtOnce) continue;
    yield since;
    since = 0;
  }
  return { values: keptTexts(texts, counts), postings };
}

/** How many documents each value still has, by its place among all values. */
function* countsLeft(inputs: readonly Column<Keywords>[], places: readonly Uint32Array[], values: number): Generator<number, Uint32Array> {
  const counts = new Uint32Array(values);
  let since = 0;
  for (const [n, { column, ordinals }] of inputs.entries())
    for (let value = 0; value < textsIn(column.values); value++) {
      const place = places[n]?.[value] ?? 0;
      let left = 0;
      eachOf(column.postings, value, (ordinal) => {
        if (ordinals[ordinal] !== gone) left += 1;
      });
      counts[place] = (counts[place] ?? 0) + left;
      since += 1 + (column.postings.counts[value] ?? 0);
      if (since < entriesAtOnce) continue;
      yield since;
      since = 0;
    }
  return counts;
}

/** Writes a set of ordinals that come in any order: those of many as bits, which are in order. */
function fill(postings: Postings, set: number, count: number, each: (visit: (ordinal: number) => void) => void): void {
  const { size } = postings;
  const stored = bitsToFill(postings, set);
  if (!stored && count * bitsShare < size) {
    const ordinals = new Uint32Array(count);
    let filled = 0;
    each((ordinal) => {
      ordinals[filled++] = ordinal;
    });
    writeSet(postings, set, ordinals.sort());
    return;
  }
  const bits = stored ?? new Uint32Array(wordsIn(size));
  each((ordinal) => setBit(bits, ordinal));
  if (!stored) writeSet(postings, set, ordinalsOf(bitsOf(size, bits, count)));
}

/**
 * Visits the new ordinals of a value, those of one input behind those of the other; each input goes on to its next
 * value.
 */
function gather(
  inputs: readonly Column<Keywords>[],
  places: readonly Uint32Array[],
  next: number[],
  place: number,
  visit: (ordinal: number) => void,
): void {
  for (const [n, { column, ordinals }] of inputs.entries()) {
    const value = next[n] ?? 0;
    if (places[n]?.[value] !== place) continue;
    next[n] = value + 1;
    eachOf(column.postings, value, (ordinal) => {
      const now = ordinals[ordinal] ?? gone;
      if (now !== gone) visit(now);
    });
  }
}

/** The texts that are counted; all of them without a copy. */
export function keptTexts(texts: Texts, counts: Uint32Array): Texts {
  if (counts.every((count) => count > 0)) return texts;
  return packTexts(Array.from(counts.keys()).flatMap((place) => (counts[place] ? [textAt(texts, place)] : [])));
}
