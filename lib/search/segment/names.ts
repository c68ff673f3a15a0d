import type { Texts } from './texts.ts';
import { packTexts, textAt } from './texts.ts';

/**
 * Names of documents, an entry each, in the order of documents. A name is cut at its first dot: many systems share a
 * domain, so that domains are a small dictionary, and a scan reads only hosts, a third of the bytes.
 */
export type Names = {
  readonly count: number;
  /** The hosts in UTF-8, with {@link fence} before the first, between two, and behind the last. */
  readonly hosts: Uint8Array;
  /** Where every {@link blockSize}th host begins. */
  readonly blocks: Uint32Array;
  /** The domains, each with its dot; the empty one of names without a dot. */
  readonly domains: Texts;
  readonly domainOf: Uint8Array | Uint16Array | Uint32Array;
  /** The entries in the order of their names. */
  readonly order: Uint32Array;
  /** The document of each entry; undefined if every document has one name. */
  readonly owners: Uint32Array | undefined;
};

/** A byte that UTF-8 never has. */
export const fence = 0xff;
/** Hosts are found by a walk over fences from the beginning of their block: about eight, each of about nine bytes. */
export const blockSize = 16;

/** Cuts a name into host and domain. */
export function cutName(name: string): readonly [host: string, domain: string] {
  const dot = name.indexOf('.');
  return dot === -1 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
}

/** Where the host of an entry begins. */
export function hostStart({ hosts, blocks }: Names, entry: number): number {
  let at = blocks[Math.floor(entry / blockSize)] ?? 0;
  for (let left = entry % blockSize; left > 0; at++) if (hosts[at] === fence) left -= 1;
  return at;
}

/** Where a host ends that begins at `start`. */
export function hostEnd({ hosts }: Names, start: number): number {
  let end = start;
  while (hosts[end] !== fence) end += 1;
  return end;
}

/** The name of an entry. */
export function nameAt(names: Names, entry: number): string {
  const start = hostStart(names, entry);
  const end = hostEnd(names, start);
  const host = Buffer.from(names.hosts.buffer, names.hosts.byteOffset + start, end - start);
  return host.toString('utf8') + textAt(names.domains, names.domainOf[entry] ?? 0);
}

/** The document of an entry. */
export const ownerOf = ({ owners }: Names, entry: number): number => (owners ? (owners[entry] ?? 0) : entry);

/** The entries of a document: from the first up to, and without, the second. */
export function entriesOf({ owners, count }: Names, ordinal: number): readonly [from: number, to: number] {
  if (!owners) return [ordinal, Math.min(count, ordinal + 1)];
  const from = placeOf(owners, ordinal);
  return [from, placeOf(owners, ordinal + 1)];
}

/** The first name of a document, which it is shown and sorted by; undefined if it has none. */
export function firstName(names: Names, ordinal: number): string | undefined {
  const [from, to] = entriesOf(names, ordinal);
  return from < to ? nameAt(names, from) : undefined;
}

/** Whether an entry is the first of its document. */
export const isFirst = ({ owners }: Names, entry: number): boolean => !owners || entry === 0 || owners[entry - 1] !== owners[entry];

function placeOf(list: Uint32Array, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The column of domains, in as few bytes as hold their places. */
export function domainColumn(domains: number, entries: number): Uint8Array | Uint16Array | Uint32Array {
  if (domains <= 0x100) return new Uint8Array(entries);
  return domains <= 0x1_0000 ? new Uint16Array(entries) : new Uint32Array(entries);
}

/** No names. */
export const noNames = (documents: number): Names => ({
  count: 0,
  hosts: Uint8Array.of(fence),
  blocks: Uint32Array.of(1),
  domains: packTexts([]),
  domainOf: new Uint8Array(0),
  order: new Uint32Array(0),
  owners: documents === 0 ? undefined : new Uint32Array(0),
});
