import { Refusal } from '../../api/problem.ts';
import { Later } from '../../core/errors.ts';
import type { MetadataKind } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import type { Reading, Row } from '../../ports/table/table.ts';
import { read, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Client, clientRef, leadsOn, type Metadata } from '../client.ts';
import { MetadataPage, pagesOf } from '../metadata.ts';

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
    if (client && leadsOn(client)) throw new Later('row.busy', `${known.fp} is known by the key of its daemon by now`);
  }
  throw new Later('row.busy', `the metadata of ${known.fp} changed during all of ${readsMax} reads`);
}

/**
 * The documents of client systems that were just read, by fingerprint and kind: those that are put as a whole, and no
 * histories. One that changes meanwhile may be a later one than its client system knows of, and never an earlier one;
 * `lately`: they are read as they were a moment ago, and again where that was too early.
 */
export async function documentsOf(
  shell: Shell,
  clients: readonly Client[],
  how?: Reading,
): Promise<ReadonlyMap<string, ReadonlyMap<string, unknown>>> {
  const asked = clients.flatMap((client) =>
    Object.entries(metadataOf(client)?.kinds ?? {}).flatMap(([kind, { pages, revision }]) =>
      pages ? [] : [{ fp: client.fp, kind, revision, ref: pageRef(storedUnder(client), kind, 0) }],
    ),
  );
  const rows = await readRows(
    shell,
    asked.map(({ ref }) => ref),
    how,
  );
  const found = asked.map(({ revision, ref }, i) => ({ ref, row: rows[i], isLate: (rows[i]?.body.revision ?? 0) < revision }));
  const late = found.filter(({ isLate }) => how === 'lately' && isLate);
  const again = await readRows(
    shell,
    late.map(({ ref }) => ref),
  );
  const now = new Map(late.map((one, i) => [one, again[i]]));
  const documents = new Map<string, Map<string, unknown>>();
  for (const [i, { fp, kind }] of asked.entries()) {
    const one = found[i];
    const row = one && (now.has(one) ? now.get(one) : one.row);
    if (row && !row.gone) documents.set(fp, (documents.get(fp) ?? new Map<string, unknown>()).set(kind, JSON.parse(row.body.text)));
  }
  return documents;
}

/** A kind with its document from its pages; undefined when they are of another revision than its summary. */
function heldKind(known: Metadata['kinds'][string], rows: readonly (Row<MetadataPage> | undefined)[]): HeldKind | undefined {
  const pages = rows.map((row) => (row && !row.gone ? row.body : undefined));
  if (pages.at(-1)?.revision !== known.revision || pages.some((page) => !page)) return undefined;
  const documents = pages.map((page) => JSON.parse(page!.text) as unknown);
  return { ...known, document: known.pages ? documents.flat(1) : documents[0] };
}

/** The summary of metadata in the row of a client system; undefined if it has no metadata yet. */
export const metadataOf = (client: Client): Metadata | undefined => (client.standing === 'pooled' ? undefined : client.metadata);

/** The fingerprint under which the documents of a client system are stored: its own, or that of one it has replaced. */
export const storedUnder = (client: Client): string => metadataOf(client)?.of ?? client.fp;

/** A document, or a page of a history, of a client system. */
export const pageRef = refOf('metadata', MetadataPage, (fp: string, kind: string, page: number) => `${fp}/${kind}.${page}`);

/** Refused: no machine with this fingerprint has knocked, as far as the caller may know. */
export const unknownSystem = (fp: string): Refusal =>
  new Refusal('unknown-system', `no client system with the fingerprint ${fp} has knocked`);

/** Refused: it has no metadata of this kind. */
export const unknownMetadata = (kind: MetadataKind): Refusal => new Refusal('unknown-metadata', `it has no metadata of the kind ${kind}`);
