import * as z from 'zod';
import { MetadataKind, ZoneName } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Client, ClientIn, Metadata } from './client.ts';

/** The most kinds of documents per client system: their summary is in its row, which every call reads. */
export const kindsMax = 32;
/** The most bytes of a document: as much as a call may carry. */
export const documentBytesMax = 64 * 1024;
/**
 * The most bytes of a page of a kind that is appended to. An entry costs a rewrite of its page, 16 units, rather than
 * of the whole history.
 */
export const pageBytesMax = 16 * 1024;
/** The most pages of such a kind: 256 KB. The oldest entries are dropped beyond that. */
export const pagesMax = 16;
/** The most bytes of all metadata of one client system: a whole document of every kind, which still fits one answer. */
export const systemBytesMax = kindsMax * documentBytesMax;

/**
 * A document about a client system, or one page of a kind that is appended to. JSON text as the callers wrote it, so
 * that its size is theirs.
 */
export const MetadataPage = z.strictObject({
  zone: ZoneName.optional(),
  kind: MetadataKind,
  /** The client system's metadata revision when this was written. */
  revision: z.int().positive(),
  text: z.string(),
});
export type MetadataPage = z.infer<typeof MetadataPage>;

/** An order about one kind; `id` names an append, so that repeating it appends nothing. */
export type MetadataOrder = { readonly kind: MetadataKind } & (
  | { readonly does: 'put'; readonly text: string }
  | { readonly does: 'append'; readonly entries: readonly string[]; readonly id?: string | undefined }
  | { readonly does: 'remove' }
);

/** The revision that the kind must have for an order to be carried out. */
export type MetadataFence = { readonly revision?: number | 'any'; readonly absent?: boolean };

/**
 * The outcome of an order. `revision` is that of the kind, undefined when there is none. A page without a text is
 * removed.
 */
export type MetadataDecision =
  | { readonly does: 'nothing'; readonly revision: number; readonly because: string }
  | {
      readonly does: 'write';
      readonly next: ClientWithMetadata;
      readonly revision: number;
      readonly pages: readonly PageChange[];
      readonly because: string;
    }
  | { readonly does: 'conflict'; readonly revision: number | undefined }
  | { readonly does: 'refuse'; readonly because: string }
  | { readonly does: 'unknown' };
export type PageChange = { readonly page: number; readonly text?: string };

type ClientWithMetadata = ClientIn<'accepted' | 'banned'>;
type Kind = Metadata['kinds'][string];

/** The numbers of the stored pages of a kind. */
export const pagesOf = ({ pages: { first, last } = { first: 0, last: 0 } }: Kind): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/**
 * The page of a kind that an order reads: a put is compared with it, an append extends it. Undefined when there is
 * none.
 */
export function pageToRead(metadata: Metadata | undefined, { kind, does }: MetadataOrder): number | undefined {
  const known = metadata?.kinds[kind];
  if (!known || does === 'remove' || (does === 'put' && known.pages)) return undefined;
  return known.pages?.last ?? 0;
}

/**
 * Decides what an order means for a client system's row and for the documents beside it. `text` is that of
 * {@link pageToRead}.
 */
export function decideMetadata(
  client: Client,
  order: MetadataOrder,
  { fence, text, now }: { readonly fence: MetadataFence; readonly text: string | undefined; readonly now: EpochMs },
): MetadataDecision {
  if (client.standing === 'pooled')
    return { does: 'refuse', because: 'not accepted yet: Muster stores metadata only about accepted client systems' };
  const known = client.metadata?.kinds[order.kind];
  if (!isMet(known, fence)) return { does: 'conflict', revision: known?.revision };
  if (order.does === 'remove') return known ? removed(client, order.kind, known) : { does: 'unknown' };
  if (client.standing === 'banned') return { does: 'refuse', because: 'banned, for ever' };
  const made = order.does === 'put' ? put(known, order.text, text) : appended(known, order, text);
  if ('because' in made) return made.does === 'nothing' ? { ...made, revision: known!.revision } : made;
  return written(client, order.kind, made, now);
}

const isMet = (known: Kind | undefined, { revision, absent }: MetadataFence): boolean =>
  (revision === undefined || (known !== undefined && (revision === 'any' || revision === known.revision))) && !(absent && known);

type Made = Pick<Kind, 'bytes' | 'pages' | 'appended'> & { readonly changes: readonly PageChange[]; readonly summary: string };
type Not = { readonly does: 'nothing'; readonly because: string } | { readonly does: 'refuse'; readonly because: string };

function put(known: Kind | undefined, text: string, before: string | undefined): Made | Not {
  const bytes = Buffer.byteLength(text);
  if (bytes > documentBytesMax)
    return { does: 'refuse', because: `the document has ${bytes} bytes, more than the maximum of ${documentBytesMax}` };
  if (known && before === text) return { does: 'nothing', because: 'the document is the same already' };
  const ends = known ? pagesOf(known).filter((page) => page !== 0) : [];
  return { bytes, changes: [{ page: 0, text }, ...ends.map((page) => ({ page }))], summary: 'put' };
}

function appended(
  known: Kind | undefined,
  { entries, id }: Extract<MetadataOrder, { does: 'append' }>,
  before: string | undefined,
): Made | Not {
  if (known && !known.pages) return { does: 'refuse', because: 'it is a single document: remove it before you append to this kind' };
  if (known && id !== undefined && known.appended === id) return { does: 'nothing', because: 'this report is appended already' };
  if (entries.some((entry) => Buffer.byteLength(entry) > pageBytesMax - '[]'.length))
    return { does: 'refuse', because: `an entry has more than the maximum of ${pageBytesMax - '[]'.length} bytes` };
  const { first, last } = known?.pages ?? { first: 0, last: 0 };
  const texts = filled(before, entries);
  const newest = last + texts.length - 1;
  const oldest = Math.max(first, newest - pagesMax + 1);
  const rewritten = texts.map((text, i) => ({ page: last + i, text })).filter(({ page }) => page >= oldest);
  const fallen = pagesOf({ ...known!, pages: { first, last } }).filter((page) => known && page < oldest);
  return {
    bytes: (newest - oldest + 1) * pageBytesMax,
    pages: { first: oldest, last: newest },
    ...(id !== undefined && { appended: id }),
    changes: [...rewritten, ...fallen.map((page) => ({ page }))],
    summary: `${entries.length} appended to`,
  };
}

/** The last page with the entries appended, and as many further pages as needed. Each is a JSON list. */
function filled(before: string | undefined, entries: readonly string[]): string[] {
  const pages = [before?.slice(1, -1) ?? ''];
  for (const entry of entries) {
    const last = pages.at(-1)!;
    const longer = last === '' ? entry : `${last},${entry}`;
    if (Buffer.byteLength(longer) <= pageBytesMax - '[]'.length) pages[pages.length - 1] = longer;
    else pages.push(entry);
  }
  return pages.map((inner) => `[${inner}]`);
}

function written(client: ClientIn<'accepted'>, kind: MetadataKind, made: Made, now: EpochMs): MetadataDecision {
  const { changes, summary, ...stored } = made;
  const revision = (client.metadata?.revision ?? 0) + 1;
  const kinds = { ...client.metadata?.kinds, [kind]: { ...stored, revision, at: now } };
  if (Object.keys(kinds).length > kindsMax) return { does: 'refuse', because: `it has the maximum of ${kindsMax} kinds: remove one first` };
  const bytes = Object.values(kinds).reduce((sum, each) => sum + each.bytes, 0);
  if (bytes > systemBytesMax)
    return { does: 'refuse', because: `its metadata exceeds the maximum of ${systemBytesMax} bytes: remove a kind first` };
  const next = { ...client, metadata: { ...client.metadata, revision, kinds } };
  return { does: 'write', next, revision, pages: changes, because: `${summary} ${kind}, revision ${revision}` };
}

function removed(client: ClientWithMetadata, kind: MetadataKind, known: Kind): MetadataDecision {
  const { [kind]: _ended, ...kinds } = client.metadata!.kinds;
  const revision = client.metadata!.revision + 1;
  const next = { ...client, metadata: { ...client.metadata, revision, kinds } };
  return {
    does: 'write',
    next,
    revision,
    pages: pagesOf(known).map((page) => ({ page })),
    because: `removed ${kind}, revision ${revision}`,
  };
}
