import { Refusal } from '../../api/problem.ts';
import { type Plan, type PlannedChange, write } from '../../core/decision.ts';
import type { Fingerprint, MetadataKind } from '../../core/ids.ts';
import { desiredRef } from '../../nodes/desired/desired.ts';
import { decideNews } from '../../nodes/desired/rows/moves.ts';
import { apply } from '../../runtime/apply.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { nobody, slotOf } from '../../zones/map/rows/slots.ts';
import { pinnedNow } from '../../zones/pins/pins.ts';
import { zoneNow } from '../../zones/reads/zones.ts';
import { type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import { type Client, clientRef } from '../client.ts';
import {
  decideMetadata,
  type MetadataDecision,
  type MetadataFence,
  type MetadataOrder,
  type MetadataPage,
  type PageChange,
  pageToRead,
} from '../metadata.ts';
import { systemRow } from '../reads/rows.ts';
import { ownerOf, type Placed, placedOf } from '../rows/status.ts';
import { metadataOf, pageRef, storedUnder, unknownMetadata, unknownSystem } from './reads.ts';

/**
 * Notifies the nodes of a client system that its metadata has changed, except the node that reported the change. It
 * sets their desired state, whose revision answers their next heartbeat. The map is read after the commit, so that a
 * node to which the client system moves later reads the present metadata. A node that was down and owns the client
 * system again never saw it leave: it is notified as well, for when it is back. So is the node that it is on until its
 * turn elsewhere, where it may stay after all. This is a hint to read sooner: an agent asks for all revisions from time
 * to time.
 */
export async function notifyNode(shell: Shell, client: Client, reporter?: string): Promise<void> {
  if (client.standing !== 'accepted') return;
  const { fp } = client;
  const { revision } = metadataOf(client)!;
  const zone = await zoneNow(shell, client.zone);
  if (!zone) return;
  for (const index of hosts(zone, placedOf(client))) {
    const member = zone.members[index];
    if (!member || member.node === reporter) continue;
    const news = { id: shell.newId(), fp, revision };
    await apply(shell, desiredRef(member.node), news, decideNews);
  }
}

/**
 * The indexes of its present owner, of the node that it returns to, by the map or by its pin, and of the node that it
 * was last assigned to, if that still serves it.
 */
function hosts(zone: LoadedZone, who: Placed): ReadonlySet<number> {
  const home = who.pin === nobody ? zone.map.home[slotOf(who.fp, zone.head.slots)]! : pinnedNow(zone.pins, who.pin);
  const on = who.told && servesAt(zone, who.told.index, who.told.generation) ? who.told.index : nobody;
  return new Set([ownerOf(zone, who), home, on].filter((index) => index !== nobody));
}

/**
 * An order about one client system, by either of its fingerprints. `admits` throws a Refusal when the caller may not
 * give it.
 */
export type MetadataCall = {
  readonly id: string;
  readonly fp: Fingerprint;
  readonly order: MetadataOrder;
  readonly fence?: MetadataFence;
  readonly admits: (client: Client) => void;
};

/** The result: the client system as it is now, and the revision of the kind, or of its removal. */
export type MetadataDone = { readonly client: Client; readonly revision: number; readonly because: string };

/**
 * Carries out an order about the documents of a client system: its row and the documents in one commit. Throws a {@link
 * Refusal} if the row does not allow it, does not exist, or has another revision than the caller names.
 */
export async function orderMetadata(shell: Shell, { id, fp, order, fence = {}, admits }: MetadataCall): Promise<MetadataDone> {
  const found = await systemRow(shell, fp);
  if (!found) throw unknownSystem(fp);
  const ref = clientRef(found.state.fp);
  const { done } = await applyPlan(shell, { id }, async (reading): Promise<Plan & { done: MetadataDone }> => {
    const row = await reading.row(ref);
    const client = stateOf(row, shell.now());
    if (!client) throw unknownSystem(fp);
    admits(client);
    const text = await textToRead(reading, client, order);
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

async function textToRead(reading: Reading, client: Client, order: MetadataOrder): Promise<string | undefined> {
  const page = pageToRead(metadataOf(client), order);
  if (page === undefined) return undefined;
  return (await reading.row(pageRef(storedUnder(client), order.kind, page)))?.body.text;
}

/** The decision if it writes, or has nothing to write. Throws a {@link Refusal} for any other. */
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

/** The changes to the documents of an order. A removed page leaves only the record that it existed. */
async function pageChanges(
  reading: Reading,
  client: Client,
  kind: MetadataKind,
  { revision, pages, because }: { readonly revision: number; readonly pages: readonly PageChange[]; readonly because: string },
): Promise<PlannedChange[]> {
  const refs = pages.map(({ page }) => pageRef(storedUnder(client), kind, page));
  const rows = await reading.rows(refs);
  const zone = client.standing === 'pooled' ? undefined : client.zone;
  return pages.map(({ text }, i): PlannedChange => {
    const body: MetadataPage = { ...(zone && { zone }), kind, revision, text: text ?? '' };
    const decision = text === undefined ? ({ does: 'remove', last: body, events: [], because } as const) : write(body, because);
    return { ref: refs[i]!, readRev: rows[i]?.rev ?? 0, decision };
  });
}

const conflict = (revision: number | undefined, kind: MetadataKind): Refusal =>
  revision === undefined
    ? new Refusal('version-conflict', `it has no metadata of the kind ${kind}`)
    : new Refusal('version-conflict', `${kind} is at revision ${revision}`, { headers: { etag: `"${revision}"` } });
