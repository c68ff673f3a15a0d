import { findId, type Ids } from './ids.ts';
import type { Keywords } from './keywords.ts';
import type { Names } from './names.ts';
import { type Numbers, numberAt } from './numbers.ts';

/**
 * What is searched. `names` are lower case, and the first is the one that answers show; `version` grows with each
 * change.
 */
export type Document = {
  /** 64 hex digits in lower case. */
  readonly id: string;
  readonly version: number;
  readonly names: readonly string[];
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly numbers: ReadonlyMap<string, number>;
};

/** That a document was removed: no version up to this one comes back. */
export type Removal = { readonly id: string; readonly version: number };

/** Removals in the order of their ids. */
export type Removals = { readonly ids: Ids; readonly versions: Float64Array };

/** Documents in columns, which never change. The ordinal of a document is its place in the order of ids. */
export type Segment = {
  readonly size: number;
  readonly ids: Ids;
  readonly versions: Numbers;
  readonly names: Names;
  readonly keywords: ReadonlyMap<string, Keywords>;
  readonly numbers: ReadonlyMap<string, Numbers>;
  readonly removals: Removals;
};

/** The most documents of a segment: a shard. */
export const documentsMax = 2 ** 20;

/** The place and version of a document; undefined if the segment does not have it. */
export function findDocument({ ids, versions }: Segment, id: string): { readonly ordinal: number; readonly version: number } | undefined {
  const ordinal = findId(ids, id);
  return ordinal === undefined ? undefined : { ordinal, version: numberAt(versions, ordinal) ?? 0 };
}

/** The version at which a document was removed; undefined if the segment does not know of it. */
export function findRemoval({ removals }: Segment, id: string): number | undefined {
  const place = findId(removals.ids, id);
  return place === undefined ? undefined : removals.versions[place];
}
