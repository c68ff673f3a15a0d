import { andNot } from './algebra.ts';
import { type Bitmap, noneOf, ordinalsOf } from './bitmap.ts';
import { buildSegment } from './build.ts';
import { isId } from './ids.ts';
import { type Merged, mergeSegments } from './merge.ts';
import { gone } from './merge-ids.ts';
import { Part, settle } from './part.ts';
import { type Document, findDocument, findRemoval, type Removal, type Segment } from './segment.ts';
import { nextMerge } from './tiers.ts';

/** Segments with what of them is left out, as they were at one moment. */
export type Snapshot = readonly { readonly segment: Segment; readonly deleted: Bitmap }[];

/** So many changes are kept as they are before they become a segment: building one of them takes some milliseconds. */
export const sealAtUsual = 512;

type Change = { readonly document: Document } | { readonly removal: Removal };

type Merge = { readonly parts: readonly Part[]; readonly deleted: readonly Bitmap[]; readonly steps: Generator<number, Merged> };

/**
 * Documents that can be searched while they change: segments, and the last changes beside them, which become a segment
 * when there are enough. Small segments are merged into larger ones step by step, when the host has time. Of a document
 * the highest version counts, in whatever order versions come; a removal counts before a document of the same version.
 */
export class SearchIndex {
  readonly #sealAt: number;
  #changes = new Map<string, Change>();
  /** The changes as a segment, until the next one. */
  #fresh: Segment | undefined;
  #parts: readonly Part[] = [];
  #merge: Merge | undefined;

  constructor({ sealAt = sealAtUsual }: { readonly sealAt?: number } = {}) {
    this.#sealAt = sealAt;
  }

  /** How many documents there are. */
  get size(): number {
    const unsealed = [...this.#changes.values()].filter((change) => 'document' in change).length;
    return this.#parts.reduce((sum, { left }) => sum + left, unsealed);
  }

  /**
   * The segments that hold all but the changes that are not sealed. What of each is left out follows from the others.
   */
  get segments(): readonly Segment[] {
    return this.#parts.map(({ segment }) => segment);
  }

  /**
   * The segments that hold everything, the last changes included: an index to which they are added holds the same. They
   * are the same ones until the next change.
   */
  whole(): readonly Segment[] {
    const fresh = this.#freshSegment();
    return fresh ? [...this.segments, fresh] : this.segments;
  }

  /** How many changes are not in a segment. */
  get unsealed(): number {
    return this.#changes.size;
  }

  /**
   * Takes a document, or its newer version; false if a version that is as new is known, or a removal of it. Throws a
   * RangeError for an id that is not 64 hex digits.
   */
  put(document: Document): boolean {
    if (document.version <= this.#versionOf(document.id)) return false;
    this.#change(document.id, { document });
    return true;
  }

  /** Removes a document up to a version; false if a newer one is known, or this removal. Throws as {@link put}. */
  remove(id: string, version: number): boolean {
    const known = this.#versionOf(id);
    if (version < known || (version === known && !this.#isThere(id))) return false;
    this.#change(id, { removal: { id, version } });
    return true;
  }

  /** Whether a document with this id is there. */
  holds(id: string): boolean {
    return this.#isThere(id);
  }

  /**
   * Takes a segment as it was stored, or was built of many documents. Takes a time that grows with its size and, where
   * others have documents of it, with theirs.
   */
  add(segment: Segment): void {
    this.seal();
    const part = new Part(segment);
    for (const other of this.#parts) settle(other, part);
    this.#parts = [...this.#parts, part];
  }

  /** Makes a segment of the changes that are not in one. */
  seal(): void {
    const segment = this.#freshSegment();
    if (segment) this.#parts = [...this.#parts, new Part(segment)];
    this.#changes = new Map();
    this.#fresh = undefined;
  }

  /** Every document as it is now, whatever happens to the index later. */
  snapshot(): Snapshot {
    const fresh = this.#freshSegment();
    const parts = this.#parts.map((part) => ({ segment: part.segment, deleted: part.deleted() }));
    return fresh ? [...parts, { segment: fresh, deleted: noneOf(fresh.size) }] : parts;
  }

  /**
   * Merges segments for a while, if some should be merged: handles about `budget` entries, ten thousand of which take
   * about a millisecond. True if there is more to do.
   */
  step(budget: number): boolean {
    const merge = this.#merge ?? this.#begin();
    if (!merge) return false;
    for (let spent = 0; spent < budget; ) {
      const step = merge.steps.next();
      if (step.done) {
        this.#end(merge, step.value);
        return this.#begin() !== undefined;
      }
      spent += step.value;
    }
    return true;
  }

  #begin(): Merge | undefined {
    const parts = nextMerge(this.#parts, this.#sealAt);
    if (parts.length === 0) return undefined;
    const inputs = parts.map((part) => ({ segment: part.segment, deleted: part.deleted() }));
    this.#merge = { parts, deleted: inputs.map(({ deleted }) => deleted), steps: mergeSegments(inputs) };
    return this.#merge;
  }

  /** Puts the merged segment in the place of those it was made of. What was left out meanwhile is left out of it. */
  #end({ parts, deleted }: Merge, { segment, ordinals }: Merged): void {
    const merged = new Part(segment);
    for (const [n, part] of parts.entries()) {
      const before = deleted[n];
      for (const ordinal of before ? ordinalsOf(andNot(part.deleted(), before)) : []) {
        const now = ordinals[n]?.[ordinal] ?? gone;
        if (now !== gone) merged.delete(now);
      }
    }
    this.#merge = undefined;
    this.#parts = [
      ...this.#parts.filter((part) => !parts.includes(part)),
      ...(segment.size + segment.removals.versions.length > 0 ? [merged] : []),
    ];
  }

  #change(id: string, change: Change): void {
    if (!this.#changes.has(id))
      for (const part of this.#parts) {
        const found = findDocument(part.segment, id);
        if (found) part.delete(found.ordinal);
      }
    this.#changes.set(id, change);
    this.#fresh = undefined;
    if (this.#changes.size >= this.#sealAt) this.seal();
  }

  #freshSegment(): Segment | undefined {
    if (this.#changes.size === 0) return undefined;
    const changes = [...this.#changes.values()];
    this.#fresh ??= buildSegment(
      changes.flatMap((change) => ('document' in change ? change.document : [])),
      changes.flatMap((change) => ('removal' in change ? change.removal : [])),
    );
    return this.#fresh;
  }

  /** The highest version that is known of an id, also of its removal; -Infinity if none is. */
  #versionOf(id: string): number {
    const change = this.#changes.get(id);
    if (change) return 'document' in change ? change.document.version : change.removal.version;
    if (!isId(id)) throw new RangeError(`${id} is not the id of a document: 64 hex digits in lower case`);
    const versions = this.#parts.flatMap(({ segment }) =>
      [findDocument(segment, id)?.version ?? [], findRemoval(segment, id) ?? []].flat(),
    );
    return Math.max(Number.NEGATIVE_INFINITY, ...versions);
  }

  /** Whether a document is there; it is the case of at most one of its versions. */
  #isThere(id: string): boolean {
    const change = this.#changes.get(id);
    if (change) return 'document' in change;
    return this.#parts.some((part) => part.holds(id));
  }
}
