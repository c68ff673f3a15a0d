import { clusterRef, isLive, type StorageCluster } from '../../mero/clusters/cluster.ts';
import { meroNodeId, meroNodeRef } from '../../mero/nodes/mero-node.ts';
import { processId, processRef } from '../../mero/processes/process.ts';
import { desiredProcesses, type HostProcesses } from '../../mero/processes/reads/told.ts';
import { keyOf } from '../../ports/table/keys.ts';
import type { Key, Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { read, readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { typeIn } from '../../services/reads/catalogue.ts';
import { servicesOf } from '../../services/reads/of-node.ts';
import { desiredSupervisor } from '../../services/reads/supervision.ts';
import { desiredServices } from '../../services/reads/told.ts';
import { typesRef } from '../../services/rows/service-type.ts';
import { desiredStation, stationRevision } from '../../stations/reads.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import type { Node } from '../node.ts';
import { type Desired, type DesiredAnswer, type DesiredProcess, type DesiredService, desiredRef } from './desired.ts';

/**
 * The key of the row of a storage node's cluster, which determines with the node's own row what it should run; none for
 * any other node.
 */
export const clusterKeys = ({ kind, zone }: Pick<Node, 'kind' | 'zone'>): readonly Key[] =>
  kind === 'storage' ? [keyOf(clusterRef(zone))] : [];

/**
 * The revision of what a node should run and do: that of its own row, plus that of the goals of its cluster, if it has
 * one. With a cluster it is never 0, the revision of an agent that has received nothing yet: its processes may be older
 * than the agent.
 */
export const desiredRevision = (desired: Row | undefined, cluster: Row | undefined): number =>
  (desired?.rev ?? 0) + (cluster ? 1 + (cluster.body as StorageCluster).goals : 0);

/** The load of a cluster whose processes exist. */
export const loadIn = (cluster: Row | undefined): string | undefined => (cluster?.body as StorageCluster | undefined)?.loaded?.load;

/** The revision of what a node should run and do, and the answer itself, which is read only when called for. */
export async function desiredNow(
  shell: Shell,
  node: Node,
): Promise<{ readonly revision: number; readonly body: () => Promise<DesiredAnswer> }> {
  const [row, clusterRow] = await shell.table.readMany([keyOf(desiredRef(node.id)), ...clusterKeys(node)]);
  const zone = await zoneOf(shell, node.zone);
  const revision = desiredRevision(row, clusterRow) + stationRevision(zone?.head, node);
  return { revision, body: () => desiredAnswer(shell, node, { row, clusterRow, zone }) };
}

type DesiredRows = { readonly row: Row | undefined; readonly clusterRow: Row | undefined; readonly zone: LoadedZone | undefined };

async function desiredAnswer(shell: Shell, node: Node, { row, clusterRow, zone }: DesiredRows): Promise<DesiredAnswer> {
  const own: Desired = (row?.body as Desired | undefined) ?? { release: [] };
  const station = zone && desiredStation(zone, node);
  const services = node.services && (await servicesOfNode(shell, node));
  const watching = services && supervisorIn(services);
  return {
    ...own,
    ...(station && { station }),
    ...(node.kind === 'storage' && { processes: await processesOfNode(shell, node, clusterRow) }),
    ...(services && { services }),
    ...(zone && watching && { supervisor: await desiredSupervisor(shell, node, { members: zone.members, ...watching }) }),
  };
}

async function processesOfNode(shell: Shell, node: Node, clusterRow: Row | undefined): Promise<DesiredProcess[]> {
  const host = await hostProcesses(shell, node, stateOf<StorageCluster>(clusterRow, shell.now()));
  return host ? desiredProcesses(host) : [];
}

async function servicesOfNode(shell: Shell, node: Node): Promise<DesiredService[]> {
  const services = await servicesOf(shell, node);
  if (services.length === 0) return [];
  const now = shell.now();
  const put = stateOf(await readRow(shell, typesRef(node.zone)), now);
  return desiredServices(services, (name) => typeIn(put, name)?.type, now);
}

/** The supervisor among the services of a node, if it should run. */
const supervisorIn = (services: readonly DesiredService[]): DesiredService | undefined =>
  services.find(({ program, goal }) => program.is === 'built-in' && program.does === 'supervisor' && goal === 'run');

/**
 * The host of a node in its cluster with its processes; undefined for a node without a cluster, or whose host no load
 * contains.
 */
export async function hostProcesses(
  shell: Shell,
  { zone, fqdn }: Pick<Node, 'zone' | 'fqdn'>,
  cluster: StorageCluster | undefined,
): Promise<HostProcesses | undefined> {
  if (!cluster) return undefined;
  const meroNode = await read(shell, meroNodeRef(meroNodeId({ zone, fqdn })));
  if (!meroNode || !isLive(meroNode, cluster)) return undefined;
  const rows = await readRows(
    shell,
    meroNode.processes.map((fid) => processRef(processId({ zone, fid }))),
  );
  const processes = rows.flatMap((row) => stateOf(row, shell.now()) ?? []);
  return { cluster, meroNode, processes: processes.filter((process) => isLive(process, cluster)) };
}
