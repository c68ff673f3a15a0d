import { GrowingBytes, GrowingNumbers } from './growing.ts';
import { orderOfIds, packIds } from './ids.ts';
import { type Keywords, KeywordsBuilder } from './keywords.ts';
import { NamesBuilder } from './names-builder.ts';
import { packNumbers } from './numbers.ts';
import { type Document, documentsMax, type Removal, type Removals, type Segment } from './segment.ts';

/**
 * Builds a segment of documents that come one by one, in the order of their ids, as a table gives its rows: none of
 * them is kept, because a million of them would take twenty times as much memory as their segment.
 */
export class SegmentBuilder {
  #size = 0;
  #lastId = '';
  readonly #ids = new GrowingBytes();
  readonly #versions = new GrowingNumbers();
  readonly #names = new NamesBuilder();
  readonly #keywords = new Map<string, KeywordsBuilder>();
  readonly #numbers = new Map<string, GrowingNumbers>();

  /** How many documents were added. */
  get size(): number {
    return this.#size;
  }

  /** Adds a document. Throws a RangeError for an id that is not behind all before it, and past {@link documentsMax}. */
  add({ id, version, names, keywords, numbers }: Document): void {
    if (this.#size > 0 && id <= this.#lastId) throw new RangeError(`the document ${id} comes after ${this.#lastId}`);
    if (this.#size === documentsMax) throw new RangeError(`a segment has at most ${documentsMax} documents`);
    const ordinal = this.#size++;
    this.#lastId = id;
    this.#ids.write(id, 'hex');
    this.#versions.set(ordinal, version);
    this.#names.add(ordinal, names);
    for (const [field, values] of keywords) this.#keywordsOf(field).add(ordinal, values);
    for (const [field, value] of numbers) this.#numbersOf(field).set(ordinal, value);
  }

  /** The segment of all documents so far, and of removals in any order. */
  build(removed: readonly Removal[] = []): Segment {
    return {
      size: this.#size,
      ids: this.#ids.taken(),
      versions: packNumbers(this.#versions.taken(this.#size)),
      names: this.#names.build(this.#size),
      keywords: inOrder(this.#keywords, (field): Keywords => field.build(this.#size)),
      numbers: inOrder(this.#numbers, (field) => packNumbers(field.taken(this.#size))),
      removals: removalsOf(removed),
    };
  }

  #keywordsOf(field: string): KeywordsBuilder {
    const known = this.#keywords.get(field) ?? new KeywordsBuilder();
    this.#keywords.set(field, known);
    return known;
  }

  #numbersOf(field: string): GrowingNumbers {
    const known = this.#numbers.get(field) ?? new GrowingNumbers();
    this.#numbers.set(field, known);
    return known;
  }
}

/**
 * A segment of documents and removals in any order; of an id that comes twice, the newest counts. Throws a RangeError
 * for more than {@link documentsMax} documents.
 */
export function buildSegment(documents: readonly Document[], removed: readonly Removal[] = []): Segment {
  const builder = new SegmentBuilder();
  for (const document of newestById(documents)) builder.add(document);
  return builder.build(removed);
}

function removalsOf(removed: readonly Removal[]): Removals {
  const newest = newestById(removed);
  return { ids: packIds(newest.map(({ id }) => id)), versions: Float64Array.from(newest, ({ version }) => version) };
}

/** In the order of ids, of each id the newest. */
function newestById<T extends Removal>(all: readonly T[]): T[] {
  const kept: T[] = [];
  for (const place of orderOfIds(all.map(({ id }) => id))) {
    const one = all[place];
    const last = kept.at(-1);
    if (one === undefined) continue;
    if (last?.id !== one.id) kept.push(one);
    else if (one.version > last.version) kept[kept.length - 1] = one;
  }
  return kept;
}

/** The entries with other values, in the order of their keys. */
const inOrder = <V, W>(map: ReadonlyMap<string, V>, change: (value: V) => W): ReadonlyMap<string, W> =>
  new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, change(value)]));
