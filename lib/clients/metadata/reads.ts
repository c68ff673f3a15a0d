import { Refusal } from '../../api/problem.ts';
import { type Plan, type PlannedChange, write } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import type { Fingerprint, MetadataKind } from '../../core/ids.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { read, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Client, clientRef, type Metadata } from '../client.ts';
import {
  decideMetadata,
  type MetadataDecision,
  type MetadataFence,
  type MetadataOrder,
  type MetadataPage,
  type PageChange,
  pageLookedAt,
  pagesOf,
} from '../metadata.ts';
import { clientRow } from '../reads/rows.ts';

/**
 * An order about one client system, by either of its fingerprints; `admits` throws a Refusal when it is not the
 * caller's to give.
 */
export type MetadataCall = {
  readonly id: string;
  readonly fp: Fingerprint;
  readonly order: MetadataOrder;
  readonly fence?: MetadataFence;
  readonly admits: (client: Client) => void;
};

/** What was done: the client system as it is now, and the revision of the kind, or of its removal. */
export type MetadataDone = { readonly client: Client; readonly revision: number; readonly because: string };

/**
 * Carries out an order about the documents of a client system: its row and the documents in one commit. Throws a
 * {@link Refusal} for what the row does not allow, is not there, or is of another revision than the caller names.
 */
export async function orderMetadata(shell: Shell, { id, fp, order, fence = {}, admits }: MetadataCall): Promise<MetadataDone> {
  const found = await clientRow(shell, fp);
  if (!found) throw unknownSystem(fp);
  const ref = clientRef(found.state.fp);
  const { done } = await applyPlan(shell, { id }, async (reading): Promise<Plan & { done: MetadataDone }> => {
    const row = await reading.row(ref);
    const client = stateOf(row, shell.now());
    if (!client) throw unknownSystem(fp);
    admits(client);
    const text = await textLookedAt(reading, client, order);
    const decision = heeded(decideMetadata(client, order, { fence, text, now: shell.now() }), order.kind);
    const { revision, because } = decision;
    if (decision.does === 'nothing') return { changes: [], because: [because], done: { client, revision, because } };
    const { next, pages } = decision;
    const changes = [
      { ref, readRev: row!.rev, decision: write<Client, never>(next, because) },
      ...(await pageChanges(reading, client, order.kind, { revision, pages, because })),
    ];
    return { changes, because: [because], done: { client: next, revision, because } };
  });
  return done;
}

async function textLookedAt(reading: Reading, client: Client, order: MetadataOrder): Promise<string | undefined> {
  const page = pageLookedAt(metadataOf(client), order);
  if (page === undefined) return undefined;
  return ((await reading.row(pageRef(client.fp, order.kind, page)))?.body as MetadataPage | undefined)?.text;
}

/** What is to be written, or need not be. Throws a {@link Refusal} for anything else. */
function heeded(decision: MetadataDecision, kind: MetadataKind): Extract<MetadataDecision, { does: 'nothing' | 'write' }> {
  switch (decision.does) {
    case 'conflict':
      throw conflict(decision.revision, kind);
    case 'refuse':
      throw new Refusal('refused', decision.because);
    case 'unknown':
      throw unknownMetadata(kind);
    default:
      return decision;
  }
}

/** The documents of an order; of a page that ends, nothing is left but that it was there. */
async function pageChanges(
  reading: Reading,
  client: Client,
  kind: MetadataKind,
  { revision, pages, because }: { readonly revision: number; readonly pages: readonly PageChange[]; readonly because: string },
): Promise<PlannedChange[]> {
  const refs = pages.map(({ page }) => pageRef(client.fp, kind, page));
  const rows = await reading.rows(refs);
  const zone = client.standing === 'pooled' ? undefined : client.zone;
  return pages.map(({ text }, i): PlannedChange => {
    const body: MetadataPage = { ...(zone && { zone }), kind, revision, text: text ?? '' };
    const decision = text === undefined ? ({ does: 'remove', last: body, events: [], because } as const) : write(body, because);
    return { ref: refs[i]!, readRev: rows[i]?.rev ?? 0, decision };
  });
}

/** A kind as it is kept, with its document: the entries of all its pages, where it is appended to. */
export type HeldKind = Metadata['kinds'][string] & { readonly document: unknown };
/** What is known about a client system, by kind, and the revision that it has at the least. */
export type HeldMetadata = { readonly revision: number; readonly kinds: Readonly<Record<string, HeldKind>> };

/** How often a document that changes while it is read is read anew. */
const readsMax = 5;

/**
 * The documents of these kinds, or of all, of a client system that was just read. They are of one moment each: what
 * changes meanwhile has a later revision than is said here, never an earlier one. Throws {@link Later} when they keep
 * changing.
 */
export async function readMetadata(shell: Shell, known: Client, wanted?: MetadataKind): Promise<HeldMetadata> {
  for (let attempt = 1, client: Client | undefined = known; attempt <= readsMax; attempt++) {
    const { revision = 0, kinds = {} } = (client && metadataOf(client)) ?? {};
    const asked = Object.entries(kinds).filter(([kind]) => wanted === undefined || kind === wanted);
    const refs = asked.map(([kind, held]) => pagesOf(held).map((page) => pageRef(known.fp, kind, page)));
    const rows = await readRows(shell, refs.flat());
    const held = asked.map(([kind, held]) => [kind, heldKind(held, rows.splice(0, pagesOf(held).length))] as const);
    if (held.every(([, one]) => one)) return { revision, kinds: Object.fromEntries(held) as Record<string, HeldKind> };
    client = await read(shell, clientRef(known.fp));
  }
  throw new Later('row.busy', `the metadata of ${known.fp} changed through ${readsMax} reads`);
}

/** A kind with its document from its pages; undefined when they are of another revision than its summary. */
function heldKind(known: Metadata['kinds'][string], rows: readonly (Row | undefined)[]): HeldKind | undefined {
  const pages = rows.map((row) => (row && !row.gone ? (row.body as MetadataPage) : undefined));
  if (pages.at(-1)?.revision !== known.revision || pages.some((page) => !page)) return undefined;
  const documents = pages.map((page) => JSON.parse(page!.text) as unknown);
  return { ...known, document: known.pages ? documents.flat(1) : documents[0] };
}

/** What is kept about a client system in its row; undefined for one that has no metadata yet. */
export const metadataOf = (client: Client): Metadata | undefined => (client.standing === 'pooled' ? undefined : client.metadata);

const pageRef = (fp: string, kind: string, page: number) => ({ noun: 'metadata', id: `${fp}/${kind}.${page}` });

/** Refused: nobody knocked by this fingerprint, as far as the caller may know. */
export const unknownSystem = (fp: string): Refusal =>
  new Refusal('unknown-system', `no client system with the fingerprint ${fp} has knocked`);

/** Refused: there is nothing of this kind. */
export const unknownMetadata = (kind: MetadataKind): Refusal => new Refusal('unknown-metadata', `it has no metadata of the kind ${kind}`);

const conflict = (revision: number | undefined, kind: MetadataKind): Refusal =>
  revision === undefined
    ? new Refusal('version-conflict', `it has no metadata of the kind ${kind}`)
    : new Refusal('version-conflict', `${kind} is at revision ${revision}`, { headers: { etag: `"${revision}"` } });
