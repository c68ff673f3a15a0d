import { bitsOf, ordinalsOf, setBit, wordsIn } from './bitmap.ts';
import type { Keywords } from './keywords.ts';
import { type Column, entriesAtOnce, gone } from './merge-ids.ts';
import { eachOf, emptyPostings, writeSet } from './postings.ts';
import { mergeTexts, packTexts, type Texts, textAt, textsIn } from './texts.ts';

/** From this share of documents on, ordinals are brought in order as bits: sorting takes longer. */
const bitsShare = 64;

/**
 * The merged field of several segments, for `size` documents; values that no document has any more are left out. Yields
 * now and then how many entries it has handled since.
 */
export function* mergeKeywords(inputs: readonly Column<Keywords>[], size: number): Generator<number, Keywords> {
  const { texts, places } = yield* mergeTexts(inputs.map(({ column }) => column.values));
  const counts = new Uint32Array(textsIn(texts));
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
      if (since >= entriesAtOnce) {
        yield since;
        since = 0;
      }
    }
  const postings = emptyPostings(
    size,
    counts.filter((count) => count > 0),
  );
  const next = inputs.map(() => 0);
  const gathered = new Uint32Array(counts.reduce((most, count) => Math.max(most, count), 0));
  for (let place = 0, kept = 0; place < counts.length; place++) {
    const filled = gather(inputs, places, next, place, gathered);
    if (filled.length === 0) continue;
    writeSet(postings, kept++, inOrder(filled, size));
    since += 1 + filled.length;
    if (since >= entriesAtOnce) {
      yield since;
      since = 0;
    }
  }
  return { values: keptTexts(texts, counts), postings };
}

/** The new ordinals of a value, those of one input behind those of the other; each input goes on to its next value. */
function gather(
  inputs: readonly Column<Keywords>[],
  places: readonly Uint32Array[],
  next: number[],
  place: number,
  into: Uint32Array,
): Uint32Array {
  let filled = 0;
  for (const [n, { column, ordinals }] of inputs.entries()) {
    const value = next[n] ?? 0;
    if (places[n]?.[value] !== place) continue;
    next[n] = value + 1;
    eachOf(column.postings, value, (ordinal) => {
      const now = ordinals[ordinal] ?? gone;
      if (now !== gone) into[filled++] = now;
    });
  }
  return into.subarray(0, filled);
}

function inOrder(ordinals: Uint32Array, size: number): Uint32Array {
  if (ordinals.length * bitsShare < size) return ordinals.sort();
  const words = new Uint32Array(wordsIn(size));
  for (const ordinal of ordinals) setBit(words, ordinal);
  return ordinalsOf(bitsOf(size, words, ordinals.length));
}

/** The texts that are counted; all of them without a copy. */
export function keptTexts(texts: Texts, counts: Uint32Array): Texts {
  if (counts.every((count) => count > 0)) return texts;
  return packTexts(Array.from(counts.keys()).flatMap((place) => (counts[place] ? [textAt(texts, place)] : [])));
}
