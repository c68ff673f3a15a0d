import { compareIds, type Ids, idBytes } from './ids.ts';

/** The new place of what is not there any more. */
export const gone = 0xffff_ffff;
/** How many entries a merge handles before it may stop: about a millisecond. */
export const entriesAtOnce = 8_192;

/** A column of one of several segments, and the new ordinal of each of its documents, or {@link gone}. */
export type Column<C> = { readonly column: C; readonly ordinals: Uint32Array };

/** Ids of several lists in one order: the list of each, and the new place of each id of each list, or {@link gone}. */
export type MergedIds = { readonly ids: Ids; readonly sources: Uint8Array; readonly places: readonly Uint32Array[] };

/**
 * Merges lists of ids, without those that are gone: `left` are not. Yields now and then how many it has handled since.
 */
export function* mergeIds(
  lists: readonly Ids[],
  isGone: (list: number, place: number) => boolean,
  left: number,
): Generator<number, MergedIds> {
  const places = lists.map((list) => new Uint32Array(list.length / idBytes).fill(gone));
  const ids = new Uint8Array(left * idBytes);
  const sources = new Uint8Array(left);
  const heads = new Heads(lists, isGone);
  let merged = 0;
  for (let source = heads.least(); source !== -1; source = heads.least()) {
    const [list, place] = [lists[source] ?? ids, heads.take(source)];
    ids.set(list.subarray(place * idBytes, (place + 1) * idBytes), merged * idBytes);
    sources[merged] = source;
    (places[source] ?? new Uint32Array(0))[place] = merged++;
    if (merged % entriesAtOnce === 0) yield entriesAtOnce;
  }
  yield merged % entriesAtOnce;
  return { ids, sources, places };
}

/** The next id of each list. Their first four bytes are at hand as numbers, which decide nearly always. */
class Heads {
  readonly #lists: readonly Ids[];
  readonly #isGone: (list: number, place: number) => boolean;
  readonly #places: number[];
  readonly #keys: number[];

  constructor(lists: readonly Ids[], isGone: (list: number, place: number) => boolean) {
    this.#lists = lists;
    this.#isGone = isGone;
    this.#places = lists.map(() => -1);
    this.#keys = lists.map(() => 0);
    for (let list = 0; list < lists.length; list++) this.#advance(list);
  }

  /** The list whose next id comes first; -1 at the end of all. */
  least(): number {
    let [best, key] = [-1, Number.POSITIVE_INFINITY];
    for (let list = 0; list < this.#keys.length; list++) {
      const other = this.#keys[list] ?? key;
      if (other < key || (other === key && best !== -1 && other !== Number.POSITIVE_INFINITY && this.#isBefore(list, best))) {
        best = list;
        key = other;
      }
    }
    return best;
  }

  /** The place of the next id of a list, which goes on to the one behind it. */
  take(list: number): number {
    const place = this.#places[list] ?? 0;
    this.#advance(list);
    return place;
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#lists[a], this.#lists[b]];
    return one !== undefined && other !== undefined && compareIds(one, this.#places[a] ?? 0, other, this.#places[b] ?? 0) < 0;
  }

  #advance(list: number): void {
    const ids = this.#lists[list] ?? new Uint8Array(0);
    const length = ids.length / idBytes;
    let place = (this.#places[list] ?? 0) + 1;
    while (place < length && this.#isGone(list, place)) place += 1;
    this.#places[list] = place;
    const at = place * idBytes;
    this.#keys[list] =
      place < length
        ? (ids[at] ?? 0) * 0x100_0000 + (ids[at + 1] ?? 0) * 0x1_0000 + (ids[at + 2] ?? 0) * 0x100 + (ids[at + 3] ?? 0)
        : Number.POSITIVE_INFINITY;
  }
}
