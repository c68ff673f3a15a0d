import * as z from 'zod';
import { refOf } from '../../../core/ref.ts';

/** Entries of one page of a list: 8 KB. */
export const entriesPerPage = 1_000;
/** Bytes of an entry: the first 64 bits of a fingerprint. */
const entryBytes = 8;

const Version = z.strictObject({
  version: z.int().positive(),
  count: z.int().nonnegative(),
  /** The first entry of each page, 16 hex digits. */ firsts: z.array(z.string()),
});

/** The lists of client systems of a node: the newest two versions, each in pages of their own. */
export const SystemsHead = z.strictObject({
  newest: Version,
  before: Version.optional(),
  hash: z.string(),
  mapVersion: z.int().nonnegative(),
  /** The version of the zone's revocations when the list was answered: a later ban makes the list stale. */
  revokedVersion: z.int().nonnegative(),
});
export type SystemsHead = z.infer<typeof SystemsHead>;

/** One page of one version, which earlier releases did not note. */
export const SystemsPage = z.strictObject({
  version: z.int().positive().optional(),
  entries: z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes'),
});
export type SystemsPage = z.infer<typeof SystemsPage>;

/**
 * A page that was read for a version; undefined where it is none of that version, because a later one was written over
 * it.
 */
export const pageIn = (version: number, page: SystemsPage | undefined): SystemsPage | undefined =>
  page?.version === undefined || page.version === version ? page : undefined;

/** Fingerprints, in order, as the pages of a version. */
export function pagesOf(fps: readonly string[], version: number): SystemsPage[] {
  const pages: SystemsPage[] = [];
  for (let at = 0; at < fps.length; at += entriesPerPage) {
    const part = fps.slice(at, at + entriesPerPage);
    const entries = new Uint8Array(part.length * entryBytes);
    for (const [i, fp] of part.entries()) entries.set(Buffer.from(fp.slice(0, entryBytes * 2), 'hex'), i * entryBytes);
    pages.push({ version, entries });
  }
  return pages;
}

/** The entries of a page as 16 hex digits each. */
export const entriesOf = ({ entries }: SystemsPage): string[] =>
  Array.from({ length: entries.length / entryBytes }, (_, i) =>
    Buffer.from(entries.subarray(i * entryBytes, (i + 1) * entryBytes)).toString('hex'),
  );

/** The page of a version where a fingerprint belongs; undefined when the list is empty. */
export function pageFor(firsts: readonly string[], fp: string): number | undefined {
  const entry = fp.slice(0, entryBytes * 2);
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firsts[middle]! <= entry) low = middle + 1;
    else high = middle;
  }
  return firsts.length === 0 ? undefined : Math.max(0, low - 1);
}

/** The place of a fingerprint on a page; undefined when it is not there. */
export function placeOnPage({ entries }: SystemsPage, fp: string): number | undefined {
  const entry = Buffer.from(fp.slice(0, entryBytes * 2), 'hex');
  let low = 0;
  let high = entries.length / entryBytes;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = Buffer.compare(entries.subarray(middle * entryBytes, (middle + 1) * entryBytes), entry);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

/** The difference of two lists, both in order: whole fingerprints that are new, entries of those that are gone. */
export function difference(before: readonly string[], now: readonly string[]): { added: string[]; gone: string[] } {
  const known = new Set(before);
  const present = new Set(now.map((fp) => fp.slice(0, entryBytes * 2)));
  return { added: now.filter((fp) => !known.has(fp.slice(0, entryBytes * 2))), gone: before.filter((entry) => !present.has(entry)) };
}

/** The first entry of each page of a list. */
export const firstsOf = (fps: readonly string[]): string[] =>
  fps.filter((_, i) => i % entriesPerPage === 0).map((fp) => fp.slice(0, entryBytes * 2));

/** The lists of client systems of a node, by its id. */
export const systemsRef = refOf('systems', SystemsHead);

/**
 * One page of a version of the list of a node. Three sets of pages are used in turn, so that two versions stay whole
 * while a third is written.
 */
export const systemsPageRef = refOf(
  'systems-page',
  SystemsPage,
  (node: string, version: number, page: number) => `${node}/${version % 3}.${page}`,
);
