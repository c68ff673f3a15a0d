import { Refusal } from '../../api/problem.ts';
import { Later } from '../../core/errors.ts';
import type { MetadataKind } from '../../core/ids.ts';
import type { Row } from '../../ports/table/table.ts';
import { read, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Client, clientRef, type Metadata } from '../client.ts';
import { type MetadataPage, pagesOf } from '../metadata.ts';

/** A stored kind with its document; for a kind that is appended to, the entries of all its pages. */
export type HeldKind = Metadata['kinds'][string] & { readonly document: unknown };
/** The metadata of a client system by kind, and the revision that it has at least. */
export type HeldMetadata = { readonly revision: number; readonly kinds: Readonly<Record<string, HeldKind>> };

/** The most reads of a document that changes while it is read. */
const readsMax = 5;

/**
 * The documents of one kind, or of all, of a client system that was just read. Each is consistent in itself. A document
 * that changes meanwhile has a later revision than given here, never an earlier one. Throws {@link Later} when they
 * keep changing.
 */
export async function readMetadata(shell: Shell, known: Client, wanted?: MetadataKind): Promise<HeldMetadata> {
  for (let attempt = 1, client: Client | undefined = known; attempt <= readsMax; attempt++) {
    const { revision = 0, kinds = {}, of = known.fp } = (client && metadataOf(client)) ?? {};
    const asked = Object.entries(kinds).filter(([kind]) => wanted === undefined || kind === wanted);
    const refs = asked.map(([kind, held]) => pagesOf(held).map((page) => pageRef(of, kind, page)));
    const rows = await readRows(shell, refs.flat());
    const held = asked.map(([kind, held]) => [kind, heldKind(held, rows.splice(0, pagesOf(held).length))] as const);
    if (held.every(([, one]) => one)) return { revision, kinds: Object.fromEntries(held) as Record<string, HeldKind> };
    client = await read(shell, clientRef(known.fp));
  }
  throw new Later('row.busy', `the metadata of ${known.fp} changed during all of ${readsMax} reads`);
}

/** A kind with its document from its pages; undefined when they are of another revision than its summary. */
function heldKind(known: Metadata['kinds'][string], rows: readonly (Row | undefined)[]): HeldKind | undefined {
  const pages = rows.map((row) => (row && !row.gone ? (row.body as MetadataPage) : undefined));
  if (pages.at(-1)?.revision !== known.revision || pages.some((page) => !page)) return undefined;
  const documents = pages.map((page) => JSON.parse(page!.text) as unknown);
  return { ...known, document: known.pages ? documents.flat(1) : documents[0] };
}

/** The summary of metadata in the row of a client system; undefined if it has no metadata yet. */
export const metadataOf = (client: Client): Metadata | undefined => (client.standing === 'pooled' ? undefined : client.metadata);

/** The fingerprint under which the documents of a client system are stored: its own, or that of one it has replaced. */
export const storedUnder = (client: Client): string => metadataOf(client)?.of ?? client.fp;

export const pageRef = (fp: string, kind: string, page: number) => ({ noun: 'metadata', id: `${fp}/${kind}.${page}` });

/** Refused: no machine with this fingerprint has knocked, as far as the caller may know. */
export const unknownSystem = (fp: string): Refusal =>
  new Refusal('unknown-system', `no client system with the fingerprint ${fp} has knocked`);

/** Refused: it has no metadata of this kind. */
export const unknownMetadata = (kind: MetadataKind): Refusal => new Refusal('unknown-metadata', `it has no metadata of the kind ${kind}`);
