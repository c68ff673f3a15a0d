import { createHash } from 'node:crypto';
import { Refusal } from '../../api/problem.ts';
import { type Plan, type RowRef, write } from '../../core/decision.ts';
import type { Node } from '../../nodes/node.ts';
import { type NodeCaller, nodeOf } from '../../nodes/verify-node.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { nobody } from '../../zones/map/rows/slots.ts';
import { zoneNow, zoneOf } from '../../zones/reads/zones.ts';
import { indexOf, type LoadedZone } from '../../zones/rows/loaded.ts';
import { type Client, clientRef } from '../client.ts';
import { entriesOfVersion } from '../reads/listed.ts';
import { clientRow, clientsBy } from '../reads/rows.ts';
import { revokedSince } from '../revoked-since.ts';
import { ownerOf, pinnedOf } from '../rows/status.ts';
import { ownedRevisions, ownedSystems } from './reads.ts';
import type { KeyVerdict, systemsRoutes } from './routes.ts';
import { difference, firstsOf, pagesOf, type SystemsHead, type SystemsPage, systemsPageRef, systemsRef } from './rows/list.ts';

type Routes = typeof systemsRoutes;

/**
 * Answers a node the list of its client systems. A changed list is stored as a new version, to which its digests refer.
 * The list is as old as the list index (docs/decisions/0015): a node asks about a key that is not on it before it turns
 * the key away.
 */
export async function systemsHandler({ query, caller }: Call<Routes['systems'], NodeCaller>, shell: Shell): Promise<Answer> {
  const { node, zone } = await nodeAndZone(shell, caller, zoneNow);
  const index = indexOf(zone, node.id);
  const fps = index === undefined ? [] : await withoutGone(shell, { zone, index }, await ownedSystems(shell, zone, index));
  const id = node.id;
  const { head } = await applyPlan(shell, { id: shell.newId() }, (reading) => storeList(reading, id, fps, zone));
  const since = query.since === head.newest.version ? head.newest : query.since === head.before?.version ? head.before : undefined;
  const known = query.revisions === undefined || index === undefined ? undefined : await ownedRevisions(shell, zone, index);
  const revisions = query.revisions === undefined ? {} : { revisions: fps.map((fp) => known?.get(fp) ?? 0) };
  const before = since && (await entriesOfVersion(shell, id, since));
  if (!before) return { status: 200, body: { version: head.newest.version, whole: true, systems: fps, gone: [], ...revisions } };
  const { added, gone } = difference(before, fps);
  return { status: 200, body: { version: head.newest.version, whole: false, systems: added, gone, ...revisions } };
}

/**
 * The index may not show a ban or another pin yet: the few client systems that the zone revoked lately are looked up in
 * their rows.
 */
async function withoutGone(
  shell: Shell,
  { zone, index }: { readonly zone: LoadedZone; readonly index: number },
  fps: readonly string[],
): Promise<readonly string[]> {
  const revoked = fps.filter((fp) => zone.revokedAt.has(Number.parseInt(fp.slice(0, 8), 16)));
  const rows = await readRows(
    shell,
    revoked.map((fp) => clientRef(fp)),
  );
  const isHere = (client: Client | undefined): boolean =>
    client?.standing === 'accepted' && client.zone === zone.head.name && ownerOf(zone, pinnedOf(client)) === index;
  const gone = new Set(revoked.filter((_, i) => !isHere(rows[i]?.body)));
  return fps.filter((fp) => !gone.has(fp));
}

/**
 * Stores a list that differs from the newest as a new version, in one commit with its head. The newest two versions are
 * retained.
 */
async function storeList(
  reading: Reading,
  node: string,
  fps: readonly string[],
  { head: { mapVersion }, revokedVersion }: LoadedZone,
): Promise<Plan & { head: SystemsHead }> {
  const ref = systemsRef(node);
  const row = await reading.row(ref);
  const known = row?.body;
  const hash = createHash('sha256').update(fps.join('\n')).digest('base64url');
  if (known?.hash === hash) return sameList(ref, row?.rev ?? 0, known, revokedVersion);
  const version = (known?.newest.version ?? 0) + 1;
  const head: SystemsHead = {
    newest: { version, count: fps.length, firsts: firstsOf(fps) },
    ...(known && { before: known.newest }),
    hash,
    mapVersion,
    revokedVersion,
  };
  const because = `list version ${version} of ${fps.length} client systems`;
  const pages = pagesOf(fps, version).map((page, n) => ({
    ref: systemsPageRef(node, version, n),
    decision: write<SystemsPage, never>(page, because),
  }));
  const rows = await reading.rows(pages.map((page) => page.ref));
  return {
    changes: [
      { ref, readRev: row?.rev ?? 0, decision: write<SystemsHead, never>(head, because) },
      ...pages.map((page, i) => ({ ...page, readRev: rows[i]?.rev ?? 0 })),
    ],
    because: [because],
    head,
  };
}

/** Stores nothing for a list that has not changed, except that later revocations have been checked. */
function sameList(ref: RowRef, readRev: number, known: SystemsHead, revokedVersion: number): Plan & { head: SystemsHead } {
  const because = 'the list has not changed';
  if (known.revokedVersion >= revokedVersion) return { changes: [], because: [because], head: known };
  const head = { ...known, revokedVersion };
  return { changes: [{ ref, readRev, decision: write<SystemsHead, never>(head, because) }], because: [because], head };
}

/** Answers whether a key that is pending on a node should be accepted there. */
export async function systemHandler({ params, caller }: Call<Routes['system'], NodeCaller>, shell: Shell): Promise<Answer> {
  const { node, zone } = await nodeAndZone(shell, caller, zoneOf);
  const client = (await clientRow(shell, params.fp))?.state;
  const verdict = verdictOf(client, node, zone);
  if (verdict.verdict !== 'not-yours') return { status: 200, body: verdict };
  // A newer map than the cached one may have assigned the client, and a key that is turned away stays away.
  return { status: 200, body: verdictOf(client, node, (await zoneNow(shell, node.zone)) ?? zone) };
}

/** Answers the same for many keys, in the order asked. The map is read anew once if any key is to be turned away. */
export async function askAboutKeys({ body, caller }: Call<Routes['askAboutKeys'], NodeCaller>, shell: Shell): Promise<Answer> {
  const { node, zone } = await nodeAndZone(shell, caller, zoneOf);
  const clients = await clientsBy(shell, body.fingerprints);
  const verdictsBy = (known: LoadedZone) => clients.map((client) => verdictOf(client, node, known));
  const answers = verdictsBy(zone);
  if (answers.every(({ verdict }) => verdict !== 'not-yours')) return { status: 200, body: { answers } };
  return { status: 200, body: { answers: verdictsBy((await zoneNow(shell, node.zone)) ?? zone) } };
}

/**
 * Answers the client systems that a node must ask about again because their place was revoked since. Its agent may
 * still store the key of one that moved away long ago.
 */
export async function revokedHandler({ query, caller }: Call<Routes['revoked'], NodeCaller>, shell: Shell): Promise<Answer> {
  const { zone } = await nodeAndZone(shell, caller, zoneNow);
  return { status: 200, body: revokedSince(zone, query.since ?? 0) };
}

function verdictOf(client: Client | undefined, node: Node, zone: LoadedZone): KeyVerdict {
  if (client?.standing === 'banned') return { verdict: 'banned' };
  if (client?.standing !== 'accepted') return { verdict: 'unknown' };
  if (client.zone !== node.zone) return { verdict: 'not-yours' };
  const { fp } = client;
  const owner = ownerOf(zone, pinnedOf(client));
  if (owner !== nobody && owner === indexOf(zone, node.id)) return { verdict: 'accept', fp };
  const whose = owner === nobody ? undefined : zone.members[owner]?.fqdn;
  return { verdict: 'not-yours', fp, ...(whose && { node: whose }) };
}

async function nodeAndZone(shell: Shell, caller: NodeCaller, read: typeof zoneNow): Promise<{ node: Node; zone: LoadedZone }> {
  const node = nodeOf(caller);
  const zone = await read(shell, node.zone);
  if (!zone) throw new Refusal('unknown-node', `no zone has a node ${node.id}`);
  return { node, zone };
}
