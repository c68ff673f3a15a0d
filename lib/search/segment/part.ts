import { type Bitmap, hasBit, noneOf, setBit, wordsIn } from './bitmap.ts';
import { compareIds, findId, type Ids, idAt, idBytes } from './ids.ts';
import { numberAt } from './numbers.ts';
import type { Segment } from './segment.ts';

/** A segment of an index, and which of its documents are there in a newer version elsewhere, or are removed. */
export class Part {
  readonly segment: Segment;
  #deleted: Uint32Array | undefined;
  #count = 0;
  /** A snapshot has the bits: the next change makes others. */
  #isShared = false;

  constructor(segment: Segment) {
    this.segment = segment;
  }

  /** How many documents are left. */
  get left(): number {
    return this.segment.size - this.#count;
  }

  /** Whether it has a document that is not left out. */
  holds(id: string): boolean {
    const found = findId(this.segment.ids, id);
    return found !== undefined && !(this.#deleted && hasBit(this.#deleted, found));
  }

  /** Leaves out a document from now on. */
  delete(ordinal: number): void {
    const deleted = this.#deleted ?? new Uint32Array(wordsIn(this.segment.size));
    if (hasBit(deleted, ordinal)) return;
    this.#deleted = this.#isShared ? deleted.slice() : deleted;
    this.#isShared = false;
    this.#count += 1;
    setBit(this.#deleted, ordinal);
  }

  /** The documents that are left out now, whatever happens to the index later. */
  deleted(): Bitmap {
    const size = this.segment.size;
    if (!this.#deleted) return noneOf(size);
    this.#isShared = true;
    return { is: 'bits', size, count: this.#count, words: this.#deleted };
  }
}

/**
 * Leaves out of each of two parts what the other has in a newer version, or knows to be removed. Equal ones stay in the
 * second.
 */
export function settle(first: Part, second: Part): void {
  const [a, b] = [first.segment, second.segment];
  eachCommon(a.ids, b.ids, (one, other) => {
    if ((numberAt(a.versions, one) ?? 0) > (numberAt(b.versions, other) ?? 0)) second.delete(other);
    else first.delete(one);
  });
  leaveOutRemoved(first, second);
  leaveOutRemoved(second, first);
}

function leaveOutRemoved({ segment: { removals } }: Part, from: Part): void {
  eachCommon(removals.ids, from.segment.ids, (place, ordinal) => {
    if ((removals.versions[place] ?? 0) >= (numberAt(from.segment.versions, ordinal) ?? 0)) from.delete(ordinal);
  });
}

/** Where one list has many times as many ids, looking for those of the other costs less than a walk along both. */
const lookBelow = 16;

function eachCommon(a: Ids, b: Ids, visit: (a: number, b: number) => void): void {
  if (a.length > b.length * lookBelow) eachCommon(b, a, (one, other) => visit(other, one));
  else if (b.length > a.length * lookBelow) eachLooked(a, b, visit);
  else eachWalked(a, b, visit);
}

function eachLooked(a: Ids, b: Ids, visit: (a: number, b: number) => void): void {
  for (let one = 0; one * idBytes < a.length; one++) {
    const other = findId(b, idAt(a, one));
    if (other !== undefined) visit(one, other);
  }
}

function eachWalked(a: Ids, b: Ids, visit: (a: number, b: number) => void): void {
  const [aCount, bCount] = [a.length / idBytes, b.length / idBytes];
  for (let one = 0, other = 0; one < aCount && other < bCount; ) {
    const order = compareIds(a, one, b, other);
    if (order === 0) visit(one, other);
    if (order <= 0) one += 1;
    if (order >= 0) other += 1;
  }
}
