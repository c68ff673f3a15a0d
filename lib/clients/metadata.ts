import * as z from 'zod';
import { MetadataKind, ZoneName } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Client, ClientIn, Metadata } from './client.ts';

/** Kinds of documents about one client system, at the most: their summary stands in its row, which every call reads. */
export const kindsMax = 32;
/** Bytes of a document: as much as a call may carry. */
export const documentBytesMax = 64 * 1024;
/**
 * Bytes of a page of a kind that is appended to: an entry costs a rewrite of the page it comes to, 16 units, and not of
 * the whole history.
 */
export const pageBytesMax = 16 * 1024;
/** Pages kept of such a kind: 256 KB, the oldest entries fall off. */
export const pagesMax = 16;
/** Bytes of everything about one client system: every kind a whole document, which one answer still carries. */
export const systemBytesMax = kindsMax * documentBytesMax;

/**
 * A document about a client system, or one page of a kind that is appended to, as JSON text: what callers wrote, at its
 * own size.
 */
export const MetadataPage = z.strictObject({
  zone: ZoneName.optional(),
  kind: MetadataKind,
  /** The client system's metadata revision as this was written. */
  revision: z.int().positive(),
  text: z.string(),
});
export type MetadataPage = z.infer<typeof MetadataPage>;

/** What is to be done to one kind; `id` names an appending, so that its repeat appends nothing. */
export type MetadataOrder = { readonly kind: MetadataKind } & (
  | { readonly does: 'put'; readonly text: string }
  | { readonly does: 'append'; readonly entries: readonly string[]; readonly id?: string | undefined }
  | { readonly does: 'remove' }
);

/** Which revision the kind must have for an order to be carried out. */
export type MetadataFence = { readonly revision?: number | 'any'; readonly absent?: boolean };

/** What becomes of an order: `revision` is the kind's, undefined when there is none; a page without a text ends. */
export type MetadataDecision =
  | { readonly does: 'nothing'; readonly revision: number; readonly because: string }
  | {
      readonly does: 'write';
      readonly next: Kept;
      readonly revision: number;
      readonly pages: readonly PageChange[];
      readonly because: string;
    }
  | { readonly does: 'conflict'; readonly revision: number | undefined }
  | { readonly does: 'refuse'; readonly because: string }
  | { readonly does: 'unknown' };
export type PageChange = { readonly page: number; readonly text?: string };

type Kept = ClientIn<'accepted' | 'banned'>;
type Kind = Metadata['kinds'][string];

/** The pages of a kind as it is kept. */
export const pagesOf = ({ pages: { first, last } = { first: 0, last: 0 } }: Kind): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/**
 * The page of a kind that an order looks at: what is put is compared with it, what is appended comes to it. Undefined
 * when there is none.
 */
export function pageLookedAt(metadata: Metadata | undefined, { kind, does }: MetadataOrder): number | undefined {
  const known = metadata?.kinds[kind];
  if (!known || does === 'remove' || (does === 'put' && known.pages)) return undefined;
  return known.pages?.last ?? 0;
}

/**
 * Decides what an order means for a client system's row and for the documents beside it. `text` is that of
 * {@link pageLookedAt}.
 */
export function decideMetadata(
  client: Client,
  order: MetadataOrder,
  { fence, text, now }: { readonly fence: MetadataFence; readonly text: string | undefined; readonly now: EpochMs },
): MetadataDecision {
  if (client.standing === 'pooled')
    return { does: 'refuse', because: 'not accepted yet: nothing is kept about a machine that nobody let in' };
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

type Made = Pick<Kind, 'bytes' | 'pages' | 'appended'> & { readonly changes: readonly PageChange[]; readonly said: string };
type Not = { readonly does: 'nothing'; readonly because: string } | { readonly does: 'refuse'; readonly because: string };

function put(known: Kind | undefined, text: string, before: string | undefined): Made | Not {
  const bytes = Buffer.byteLength(text);
  if (bytes > documentBytesMax)
    return { does: 'refuse', because: `a document has ${documentBytesMax} bytes at the most, this one ${bytes}` };
  if (known && before === text) return { does: 'nothing', because: 'it says this already' };
  const ends = known ? pagesOf(known).filter((page) => page !== 0) : [];
  return { bytes, changes: [{ page: 0, text }, ...ends.map((page) => ({ page }))], said: 'put' };
}

function appended(
  known: Kind | undefined,
  { entries, id }: Extract<MetadataOrder, { does: 'append' }>,
  before: string | undefined,
): Made | Not {
  if (known && !known.pages)
    return { does: 'refuse', because: 'it was put as one document: nothing is appended to it until it is removed' };
  if (known && id !== undefined && known.appended === id) return { does: 'nothing', because: 'it was appended already' };
  if (entries.some((entry) => Buffer.byteLength(entry) > pageBytesMax - '[]'.length))
    return { does: 'refuse', because: `an entry has ${pageBytesMax - '[]'.length} bytes at the most` };
  const { first, last } = known?.pages ?? { first: 0, last: 0 };
  const texts = filled(before, entries);
  const newest = last + texts.length - 1;
  const oldest = Math.max(first, newest - pagesMax + 1);
  const kept = texts.map((text, i) => ({ page: last + i, text })).filter(({ page }) => page >= oldest);
  const fallen = pagesOf({ ...known!, pages: { first, last } }).filter((page) => known && page < oldest);
  return {
    bytes: (newest - oldest + 1) * pageBytesMax,
    pages: { first: oldest, last: newest },
    ...(id !== undefined && { appended: id }),
    changes: [...kept, ...fallen.map((page) => ({ page }))],
    said: `${entries.length} appended to`,
  };
}

/** The last page with entries after its own, and as many pages more as it takes: each a list in JSON. */
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
  const { changes, said, ...kept } = made;
  const revision = (client.metadata?.revision ?? 0) + 1;
  const kinds = { ...client.metadata?.kinds, [kind]: { ...kept, revision, at: now } };
  if (Object.keys(kinds).length > kindsMax) return { does: 'refuse', because: `${kindsMax} kinds at the most: remove one first` };
  const bytes = Object.values(kinds).reduce((sum, each) => sum + each.bytes, 0);
  if (bytes > systemBytesMax)
    return { does: 'refuse', because: `${systemBytesMax} bytes about one client system at the most: remove a kind first` };
  const next = { ...client, metadata: { revision, kinds } };
  return { does: 'write', next, revision, pages: changes, because: `${said} ${kind}, revision ${revision}` };
}

function removed(client: Kept, kind: MetadataKind, known: Kind): MetadataDecision {
  const { [kind]: _ended, ...kinds } = client.metadata!.kinds;
  const revision = client.metadata!.revision + 1;
  const next = { ...client, metadata: { revision, kinds } };
  return {
    does: 'write',
    next,
    revision,
    pages: pagesOf(known).map((page) => ({ page })),
    because: `removed ${kind}, revision ${revision}`,
  };
}
