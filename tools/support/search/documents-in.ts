import { each, has } from '../../../lib/search/segment/bitmap.ts';
import { idAt } from '../../../lib/search/segment/ids.ts';
import { entriesOf, nameAt } from '../../../lib/search/segment/names.ts';
import { numberAt } from '../../../lib/search/segment/numbers.ts';
import { readSet } from '../../../lib/search/segment/postings.ts';
import type { Snapshot } from '../../../lib/search/segment/search-index.ts';
import type { Document, Segment } from '../../../lib/search/segment/segment.ts';
import { textAt, textsIn } from '../../../lib/search/segment/texts.ts';

/** The documents of a snapshot as its columns have them, in the order of their ids. Values of a field are sorted. */
export function documentsIn(snapshot: Snapshot): Document[] {
  return snapshot
    .flatMap(({ segment, deleted }) => {
      const keywords = keywordsIn(segment);
      return Array.from({ length: segment.size }, (_, ordinal) => ordinal)
        .filter((ordinal) => !has(deleted, ordinal))
        .map((ordinal) => documentAt(segment, keywords, ordinal));
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function documentAt(segment: Segment, keywords: readonly ReadonlyMap<string, readonly string[]>[], ordinal: number): Document {
  const [from, to] = entriesOf(segment.names, ordinal);
  const numbers = [...segment.numbers].flatMap(([field, column]) => {
    const number = numberAt(column, ordinal);
    return number === undefined ? [] : [[field, number] as const];
  });
  return {
    id: idAt(segment.ids, ordinal),
    version: numberAt(segment.versions, ordinal) ?? 0,
    names: Array.from({ length: to - from }, (_, n) => nameAt(segment.names, from + n)),
    keywords: keywords[ordinal] ?? new Map(),
    numbers: new Map(numbers),
  };
}

/** The keywords of each document: a value has the documents, and not a document its values. */
function keywordsIn({ size, keywords }: Segment): readonly ReadonlyMap<string, readonly string[]>[] {
  const of = Array.from({ length: size }, () => new Map<string, string[]>());
  for (const [field, { values, postings }] of keywords)
    for (let place = 0; place < textsIn(values); place++) {
      const value = textAt(values, place);
      each(readSet(postings, place), (ordinal) => {
        const own = of[ordinal];
        own?.set(field, [...(own.get(field) ?? []), value]);
        return true;
      });
    }
  return of;
}
