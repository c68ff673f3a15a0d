import { isHeardIn } from '../../../events/reported/hears.ts';
import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { type PlannedChange, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { clusterRef, type StorageCluster } from '../../mero/clusters/cluster.ts';
import { nodeRef } from '../../nodes/node.ts';
import { fqdnRef } from '../../nodes/rows/name.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { foundZone } from '../../zones/reads/found.ts';
import { forgetZone } from '../../zones/reads/zones.ts';
import { type ZoneHead, zoneRef } from '../../zones/zone.ts';
import { applyStations, planStations, type StationsPlan } from '../changes.ts';
import { type StationsInput, unnameable } from '../decide.ts';
import { stationsOf } from '../reads.ts';
import type { StationsView } from '../routes.ts';
import { isValid, quorumOf } from '../rows/quorum.ts';
import { type StationLease, type Stations, stationsRef } from '../stations.ts';

/** Returns the stations of a zone. */
export async function getStations({ params, caller }: AdminCall<'getStations'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  return { status: 200, body: viewOf(head.name, await stationsOf(shell, head.name), shell.now()) };
}

/**
 * Names the stations of a zone. It may be called any number of times: by an operator from one place, or by each of the
 * hosts for itself.
 */
export async function putStations({ params, body, request, caller }: AdminCall<'putStations'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  const { hosts, update = false, self = false } = body;
  const naming = { type: 'name', id: request.id, zone: head.name, hosts, update, by: self ? 'host' : 'operator' } as const;
  const { decision, state } = await applyStations(shell, naming, (reading) => planNaming(shell, reading, naming));
  forgetZone(shell, head.name);
  const done = { done: decision.does === 'write', because: decision.because };
  return { status: 200, body: { ...viewOf(head.name, state, shell.now()), ...done } };
}

/**
 * Plans the set of stations, with the marks in the head of the zone and in the row of its cluster that there is one.
 * All are in one commit, so that no reader sees one without the others.
 */
async function planNaming(shell: Shell, reading: Reading, naming: Extract<StationsInput, { type: 'name' }>): Promise<StationsPlan> {
  const { zone } = naming;
  const now = shell.now();
  const before = stateOf(await reading.row(stationsRef(zone)), now);
  const refused = unnameable(before, naming, now);
  if (refused) throw new Refusal(refused.why === 'differs' ? 'stations-differ' : 'no-quorum', refused.says);
  const planned = await planStations(shell, reading, zone, naming);
  const { decision } = planned;
  if (decision.does !== 'write') return planned;
  const entry = await enteringZone(shell, reading, zone);
  if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
  const changes = [
    ...planned.changes,
    ...(await ownHosts(shell, reading, decision.next)),
    ...entry.changes,
    ...(await headChange(shell, reading, decision.next)),
    ...(await clusterChange(shell, reading, decision.next)),
  ];
  return { ...planned, changes };
}

/**
 * Gives up the stations of a zone without a majority: the way out for an operator with all rights in the zone when
 * there will never be a majority again. The audit records who did it.
 */
export async function resetStations({ params, request, caller }: AdminCall<'resetStations'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  const reset = { type: 'reset', id: request.id, zone: head.name } as const;
  const { decision, state } = await applyStations(shell, reset, (reading) => planReset(shell, reading, reset));
  forgetZone(shell, head.name);
  const done = { done: decision.does === 'write', because: decision.because };
  return { status: 200, body: { ...viewOf(head.name, state, shell.now()), ...done } };
}

async function planReset(shell: Shell, reading: Reading, reset: Extract<StationsInput, { type: 'reset' }>): Promise<StationsPlan> {
  const planned = await planStations(shell, reading, reset.zone, reset);
  const { decision } = planned;
  if (decision.does !== 'write') return planned;
  const head = await headChange(shell, reading, decision.next);
  return { ...planned, changes: [...planned.changes, ...head, ...(await clusterChange(shell, reading, decision.next))] };
}

/**
 * Checks that no station is a node of another zone. As a station of this zone it would never be heard, and a zone with
 * too many of these never has a majority. The commit holds only while the names belong to the same nodes. Throws a
 * {@link Refusal} that names the host.
 */
async function ownHosts(shell: Shell, reading: Reading, { zone, hosts }: Stations): Promise<PlannedChange[]> {
  const names = await reading.rows(hosts.map((id) => fqdnRef(id)));
  const now = shell.now();
  const holders = names.map((row) => stateOf(row, now)?.node);
  const nodes = await reading.rows(holders.flatMap((id) => (id === undefined ? [] : [nodeRef(id)])));
  const foreign = nodes.flatMap((row) => stateOf(row, now) ?? []).find((node) => node.zone !== zone && node.removedAt === undefined);
  if (foreign)
    throw new Refusal('refused', `${foreign.fqdn} is a node of another zone: as a station of zone ${zone} it would never be heard`);
  return hosts.map((id, n) => ({
    ref: fqdnRef(id as string),
    readRev: names[n]?.rev ?? 0,
    decision: { does: 'nothing', because: 'its name is unchanged' },
  }));
}

async function headChange(shell: Shell, reading: Reading, { zone, hosts }: Stations): Promise<PlannedChange[]> {
  const ref = zoneRef(zone as string);
  const row = await reading.row(ref);
  const head = stateOf(row, shell.now());
  if (!head) return [];
  const { stations: _before, ...rest } = head;
  const next: ZoneHead = { ...rest, version: head.version + 1, ...(hosts.length > 0 && { stations: hosts }) };
  return [{ ref, readRev: row!.rev, decision: write<ZoneHead, never>(next, 'its stations are named', { wakeAt: row!.wakeAt }) }];
}

async function clusterChange(shell: Shell, reading: Reading, { zone, hosts }: Stations): Promise<PlannedChange[]> {
  const ref = clusterRef(zone);
  const row = await reading.row(ref);
  const cluster = stateOf(row, shell.now());
  if (!cluster || (cluster.stations === true) === hosts.length > 0) return [];
  const { stations: _before, ...rest } = cluster;
  const next: StorageCluster = { ...rest, ...(hosts.length > 0 && { stations: true as const }) };
  return [{ ref, readRev: row!.rev, decision: write<StorageCluster, never>(next, 'its stations are named', { wakeAt: row!.wakeAt }) }];
}

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** The stations of a zone as they are displayed. */
export function viewOf(zone: Stations['zone'], stations: Stations | undefined, now: EpochMs): StationsView {
  if (!stations) return { zone, stations: [], quorum: { heard: 0, needed: 0, quorate: true }, epoch: 0 };
  const { hosts, leases, epoch, coordinator, named, quorateSince } = stations;
  const { heard, needed, isQuorate } = quorumOf(stations, now);
  return {
    zone,
    stations: hosts.map((host) => stationView(host, leases[host], now)),
    quorum: {
      heard: heard.length,
      needed,
      quorate: isQuorate,
      ...(isQuorate && quorateSince !== undefined && { since: iso(quorateSince) }),
    },
    ...(coordinator && isQuorate && { coordinator: { ...coordinator, since: iso(coordinator.since) } }),
    epoch,
    named: { at: iso(named.at), by: named.by },
  };
}

function stationView(host: Stations['hosts'][number], lease: StationLease | undefined, now: EpochMs): StationsView['stations'][number] {
  if (!lease) return { host, heard: false };
  const { node, renewedAt, hears } = lease;
  const heardNodes =
    hears && Array.from({ length: hears.size }, (_, index) => isHeardIn(hears, index)).filter((one) => one === true).length;
  return {
    host,
    heard: isValid(lease, now),
    heardAt: iso(renewedAt),
    node,
    ...(hears && { hears: { nodes: heardNodes!, of: hears.size } }),
  };
}
