import { countBoth } from './algebra.ts';
import { type Bitmap, wordsOf } from './bitmap.ts';
import type { Beside } from './evaluate.ts';
import { countAmong } from './postings.ts';
import type { Segment } from './segment.ts';
import { compareTexts, textAt, textsIn } from './texts.ts';

/**
 * How often the values of a field are among the documents of an answer: the most frequent ones, and how many there are.
 */
export type Facet = {
  readonly field: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly distinct: number;
};

/** A field whose values are counted, and how many of them are shown. */
export type FacetRequest = { readonly field: string; readonly top: number };

/** The documents of an answer in one segment. */
export type PartHits = { readonly segment: Segment; readonly beside: Beside; readonly hits: Bitmap };

/** Counts the values of a field over the documents of all segments. */
export function facetOf({ field, top }: FacetRequest, parts: readonly PartHits[]): Facet {
  const counts = new Map<string, number>();
  const add = (value: string, count: number): void => {
    if (count > 0) counts.set(value, (counts.get(value) ?? 0) + count);
  };
  for (const { segment, beside, hits } of parts) {
    const given = beside.values(field);
    if (given) for (const [value, documents] of given) add(value, countBoth(documents, hits));
    else countIn(segment, field, hits, add);
  }
  const values = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || compareTexts(a.value, b.value))
    .slice(0, top);
  return { field, values, distinct: counts.size };
}

function countIn(segment: Segment, field: string, hits: Bitmap, add: (value: string, count: number) => void): void {
  const column = segment.keywords.get(field);
  if (!column || hits.count === 0) return;
  const isAll = hits.count === segment.size;
  const words = isAll ? new Uint32Array(0) : hits.is === 'bits' ? hits.words : wordsOf(hits);
  for (let place = 0; place < textsIn(column.values); place++) {
    const count = isAll ? (column.postings.counts[place] ?? 0) : countAmong(column.postings, place, words);
    if (count > 0) add(textAt(column.values, place), count);
  }
}
