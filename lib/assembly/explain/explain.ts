import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem, visibleData } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import type { SystemView } from '../../clients/admin-routes.ts';
import { type Client, clientRef } from '../../clients/client.ts';
import { viewOf } from '../../clients/handlers/systems.ts';
import { heldBecause, waitsBecause } from '../../clients/held.ts';
import { systemRow } from '../../clients/reads/rows.ts';
import { goesBySlot, ownerOf, pinnedOf } from '../../clients/rows/status.ts';
import type { RowRef } from '../../core/decision.ts';
import { Fingerprint } from '../../core/ids.ts';
import { clusterRef } from '../../mero/clusters/cluster.ts';
import { clusterOf } from '../../mero/clusters/reads/of-caller.ts';
import { processRef } from '../../mero/processes/process.ts';
import { bearingOf } from '../../nodes/bearing/reads.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { historyPartition, historySort } from '../../ports/table/keys.ts';
import type { HistoryEntry } from '../../runtime/on-feed.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clientsMax, describeCrowded, mustGo } from '../../zones/capacity/crowding.ts';
import { activeRules } from '../../zones/guardrails/view.ts';
import { generationAt, standingAt } from '../../zones/map/rows/roster.ts';
import { nobody, slotOf } from '../../zones/map/rows/slots.ts';
import { standingOf, standingText } from '../../zones/map/rows/standing.ts';
import { describeRecoveries } from '../../zones/placing/recovery.ts';
import { foundNode, foundZone } from '../../zones/reads/found.ts';
import { type LoadedZone, slotsOwned } from '../../zones/rows/loaded.ts';
import { mapRef, zoneRef } from '../../zones/zone.ts';
import { explainContent } from './content.ts';
import { explainRate, goingOf, rulesOf } from './node.ts';
import { explainPin } from './pin.ts';
import type { Explanation } from './routes.ts';
import { explainSeat } from './seat.ts';
import { askedService, explainService } from './service.ts';
import { explainSiteOrders, explainStations, stationsEntries } from './stations.ts';
import { askedProcess, explainCluster, explainProcess, processRowId } from './storage.ts';
import { lastAside, lastDecision } from './told.ts';

/** Subjects that have the name of a zone. */
const ofZones: readonly string[] = ['zone', 'stations', 'site-orders', 'seat', 'content'];

type Subject = AdminCall<'history'>['params'] & { readonly zone?: string | undefined };

/** Why something is as it is: its last decision, and the facts about its zone that bear on it. */
export const explain = async ({ params, query, caller }: AdminCall<'explain'>, shell: Shell): Promise<Answer> => ({
  status: 200,
  body: await explained(shell, { ...params, ...query }, caller),
});

function explained(shell: Shell, { kind, id, zone }: Subject, caller: AdminCaller): Promise<Explanation> {
  switch (kind) {
    case 'node':
      return explainNode(shell, id, caller);
    case 'zone':
      return explainZone(shell, id, caller);
    case 'process':
      return explainProcess(shell, { id, zone }, caller);
    case 'service':
      return explainService(shell, id, caller);
    case 'cluster':
      return explainCluster(shell, id, caller);
    case 'stations':
      return explainStations(shell, id, caller);
    case 'site-orders':
      return explainSiteOrders(shell, id, caller);
    case 'seat':
      return explainSeat(shell, id, caller);
    case 'content':
      return explainContent(shell, id, caller);
    case 'system':
    case 'client':
      return explainSystem(shell, id, caller);
  }
}

async function explainNode(shell: Shell, id: string, caller: AdminCaller): Promise<Explanation> {
  const { node, row } = await foundNode(shell, id, caller);
  const zone = await foundZone(shell, node.zone, caller);
  const headRow = await readRow(shell, zoneRef(node.zone));
  const standing =
    node.index === undefined
      ? 'not in the roster yet'
      : `${standingText(standingOf(standingAt(zone.head.roster, node.index)))} at generation ${generationAt(zone.head.roster, node.index)}`;
  return {
    subject: `node ${node.fqdn}`,
    state: node.status,
    ...lastDecision(row),
    also: [
      { subject: `its standing in zone ${node.zone}`, because: standing },
      {
        subject: `zone ${node.zone}, version ${zone.head.version}`,
        because: headRow?.because ?? '',
        ...(headRow && { at: new Date(headRow.at).toISOString() }),
      },
      ...goingOf(node, node.index === undefined ? 0 : slotsOwned(zone)[node.index]!),
      ...rulesOf(node, shell.now()),
      ...guardRailsOf(zone, node.zone),
      ...(await stationsEntries(shell, zone, node)),
      ...capacityOf(zone, node),
      ...(await rateEntries(shell, zone, node)),
      ...lastAside(row),
    ],
  };
}

/** How fast a node admits, and why, in a zone whose rates adapt. */
async function rateEntries(shell: Shell, { head, members }: LoadedZone, node: Node): Promise<Explanation['also']> {
  const { admission } = head;
  if (!admission) return [];
  const [pace, bearing] = [members[node.index ?? -1]?.pace, await bearingOf(shell, node, admission)];
  return [explainRate(node, { usualMs: shell.settings.admitEveryMs, admission, pace, bearing })];
}

/** The nodes that the guard-rails of a zone hold now. */
const guardRailsOf = ({ head }: LoadedZone, name: string): Explanation['also'] =>
  activeRules(head.brakes).map(({ because, at }) => ({
    subject: `the guard-rails of zone ${name}`,
    because,
    ...(at !== undefined && { at: new Date(at).toISOString() }),
  }));

/** An entry for slots that wait for room. */
const crowdedOf = ({ head: { crowded } }: LoadedZone, subject: string): Explanation['also'] =>
  crowded ? [{ subject, because: describeCrowded(crowded), at: new Date(crowded.since).toISOString() }] : [];

/** How far a node is filled at most, and whether its own slots wait for room. */
const capacityOf = (zone: LoadedZone, { index, capacity }: Node): Explanation['also'] => [
  ...(capacity === undefined
    ? []
    : [
        { subject: 'its capacity', because: `it declares ${capacity} client systems, and is assigned ${clientsMax(capacity)} at the most` },
      ]),
  ...(index !== undefined && slotsOwned(zone)[index]! > 0 && mustGo(zone, index) ? crowdedOf(zone, 'its slots') : []),
];

async function explainZone(shell: Shell, name: string, caller: AdminCaller): Promise<Explanation> {
  const zone = await foundZone(shell, name, caller);
  const row = await readRow(shell, zoneRef(name));
  const map = await readRow(shell, mapRef(`${name}/0`));
  return {
    subject: `zone ${name}`,
    state: `version ${zone.head.version}`,
    ...lastDecision(row!),
    also: [
      ...guardRailsOf(zone, name),
      ...(await stationsEntries(shell, zone)),
      ...crowdedOf(zone, `the capacity of zone ${name}`),
      ...describeRecoveries(zone.head).map(({ because, at }) => ({
        subject: `the recovery of zone ${name}`,
        because,
        at: new Date(at).toISOString(),
      })),
      ...(map ? [{ subject: `map version ${zone.head.mapVersion}`, because: map.because, at: new Date(map.at).toISOString() }] : []),
    ],
  };
}

async function explainSystem(shell: Shell, text: string, caller: AdminCaller): Promise<Explanation> {
  const { state: client, row } = await foundSystem(shell, text, caller);
  const view = await viewOf(shell, client, row, caller);
  return {
    subject: `client system ${client.fqdn}`,
    state: view.status,
    ...lastDecision(row),
    also: [
      ...(client.standing === 'accepted' ? [await placeOf(shell, client, caller), ...(await waitsOf(shell, client, caller))] : []),
      ...sharedOf(view),
      ...copiedOf(view),
    ],
  };
}

/** Whether two machines run with its key, and what follows from that. */
const copiedOf = ({ copied }: SystemView): Explanation['also'] =>
  copied === undefined
    ? []
    : [
        {
          subject: 'its key',
          because: `${copied.because}, since ${copied.since}; it stays on its node and is given no other until it is settled (system settle)`,
        },
      ];

/** The other keys that report its machine id or its name. */
const sharedOf = ({ sameMachineId, sameName }: SystemView): Explanation['also'] => [
  ...sharingOf('machine id', sameMachineId),
  ...sharingOf('name', sameName),
];

const sharingOf = (what: string, shared: SystemView['sameName']): Explanation['also'] =>
  shared === undefined
    ? []
    : [
        { subject: `its ${what}`, because: shared.because },
        ...shared.keys.map(({ fingerprint, first, fqdn, status }) => ({
          subject: `the key ${fingerprint}`,
          because: `reports the same ${what}${first ? ', and did so first' : ''}: ${fqdn}, ${status}`,
        })),
      ];

/** The node to which an accepted client belongs by the map, and the standing of that node. */
async function placeOf(
  shell: Shell,
  client: Parameters<typeof pinnedOf>[0] & { zone?: string | undefined },
  caller: AdminCaller,
): Promise<Explanation['also'][number]> {
  const zone = await foundZone(shell, client.zone!, caller);
  const owner = ownerOf(zone, pinnedOf(client));
  const subject = goesBySlot(zone, pinnedOf(client))
    ? `slot ${slotOf(client.fp, zone.head.slots)} of zone ${client.zone}`
    : 'the node that it is pinned to';
  if (owner === nobody) return { subject, because: 'no node owns it: there is no place yet, and the client system should knock again' };
  const standing = standingText(standingOf(standingAt(zone.head.roster, owner)));
  return {
    subject,
    because: goesBySlot(zone, pinnedOf(client))
      ? `owned by ${zone.members[owner]?.fqdn}, which is ${standing}, since map version ${zone.head.mapVersion} or before`
      : `${zone.members[owner]?.fqdn}, which is ${standing}`,
  };
}

/** Why a client system stays where it is although its node is away, and what it waits for. */
async function waitsOf(shell: Shell, client: Client, caller: AdminCaller): Promise<Explanation['also']> {
  if (client.standing !== 'accepted') return [];
  const zone = await foundZone(shell, client.zone, caller);
  const asked = { now: shell.now() };
  const held = heldBecause(zone, client, asked);
  const turn = waitsBecause(zone, client, asked);
  const owner = ownerOf(zone, pinnedOf(client));
  return [
    ...(owner !== nobody && mustGo(zone, owner) && goesBySlot(zone, pinnedOf(client)) ? crowdedOf(zone, 'its slot') : []),
    ...(await explainPin(shell, client, zone)),
    ...(held === undefined ? [] : [{ subject: 'held', because: held }]),
    ...(turn ? [{ subject: 'it waits', because: turn.because }] : []),
  ];
}

/** The conclusions about something, oldest first, from the history that `publish` writes. */
export async function history({ params, query, caller }: AdminCall<'history'>, shell: Shell): Promise<Answer> {
  const ref = await subjectOf(shell, { ...params, zone: query.zone }, caller);
  const page = await shell.table.query({ pk: historyPartition(ref), from: historySort(query.after + 1), limit: query.limit });
  const items = page.items.map((row) => {
    const { at, ...entry } = row.body as HistoryEntry;
    return { ...entry, data: visibleData(caller, entry.type, entry.data), at: new Date(at).toISOString() };
  });
  return { status: 200, body: { items, more: page.next !== undefined } };
}

async function subjectOf(shell: Shell, { kind, id, zone }: Subject, caller: AdminCaller): Promise<RowRef> {
  if (kind === 'process') return processRef(processRowId(await askedProcess(shell, { id, zone }, caller)));
  if (kind === 'service') return (await askedService(shell, id, caller)).ref;
  if (kind === 'cluster') return clusterRef((await clusterOf(shell, id, caller)).cluster.zone);
  if (kind === 'node') return nodeRef((await foundNode(shell, id, caller)).node.id);
  if (ofZones.includes(kind)) return { noun: kind, id: (await foundZone(shell, id, caller)).head.name };
  return clientRef((await foundSystem(shell, id, caller)).state.fp);
}

async function foundSystem(shell: Shell, text: string, caller: AdminCaller) {
  const fp = Fingerprint.safeParse(text);
  const known = fp.success ? await systemRow(shell, fp.data) : undefined;
  if (!known || !seesSystem(caller, known.state))
    throw new Refusal('unknown-system', `no client system with the fingerprint ${text} has knocked`);
  return known;
}
