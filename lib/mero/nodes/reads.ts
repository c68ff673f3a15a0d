import { Refusal } from '../../api/problem.ts';
import type { PlannedChange } from '../../core/decision.ts';
import { type Fid, readFid } from '../../core/fid.ts';
import { Fqdn, NodeId } from '../../core/ids.ts';
import { desiredRef } from '../../nodes/desired/desired.ts';
import { decideOrder } from '../../nodes/desired/rows/order.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { fqdnRef } from '../../nodes/rows/name.ts';
import { clusterRange } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { isLive, type StorageCluster } from '../clusters/cluster.ts';
import { rowsIn } from '../clusters/reads/rows.ts';
import { type MeroProcess, processId, processRef } from '../processes/process.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from './mero-node.ts';

/** A state and its row; also the row of a thing that is gone. */
export type Held<S> = { readonly state: S | undefined; readonly row: Row | undefined };

/** A host of a storage zone: its Mero node, if it is one, and the node that drives it, if it has joined. */
export type MeroHost = { readonly fqdn: Fqdn; readonly mero: Held<MeroNode>; readonly node: Held<Node> };

const held = <S>(row: Row | undefined, shell: Pick<Shell, 'now'>): Held<S> => ({ state: stateOf<S>(row, shell.now()), row });

/**
 * The host of this name, of the Mero node with this fid or of the node with this id. Throws a {@link Refusal} if the
 * zone has none.
 */
export async function meroHost(shell: Shell, reading: Reading, cluster: StorageCluster, name: string): Promise<MeroHost> {
  const fqdn = await fqdnOf(shell, reading, cluster, name);
  const mero = held<MeroNode>(await reading.row(meroNodeRef(meroNodeId({ zone: cluster.zone, fqdn }))), shell);
  const node = await nodeOfHost(shell, reading, { zone: cluster.zone, host: fqdn });
  if (mero.state && !isLive(mero.state, cluster))
    throw new Refusal('not-yet', `facts that name ${fqdn} are being loaded: try again when that is done`);
  if (!mero.state && !node.state)
    throw new Refusal('unknown-node', `no node ${name} has joined zone ${cluster.zone}, and its storage cluster has none`);
  return { fqdn, mero, node };
}

/** The node that drives a host, where one of its name has joined the zone. */
export async function nodeOfHost(
  shell: Shell,
  reading: Reading,
  { zone, host }: { readonly zone: string; readonly host: string },
): Promise<Held<Node>> {
  const name = stateOf(await reading.row(fqdnRef(host)), shell.now());
  const node = name ? held<Node>(await reading.row(nodeRef(name.node)), shell) : undefined;
  return node?.state?.zone === zone ? node : { state: undefined, row: undefined };
}

async function fqdnOf(shell: Shell, reading: Reading, { zone }: StorageCluster, name: string): Promise<Fqdn> {
  if (NodeId.safeParse(name).success) {
    const node = stateOf(await reading.row(nodeRef(name)), shell.now());
    if (node?.zone === zone) return node.fqdn;
    throw new Refusal('unknown-node', `no node ${name} has joined zone ${zone}`);
  }
  const fid = readFid(name);
  if (fid) return fqdnOfFid(shell, zone, name as Fid);
  const fqdn = Fqdn.safeParse(name);
  if (fqdn.success) return fqdn.data;
  throw new Refusal('unknown-node', `${name} is not the name of a host, a fid or the id of a node`);
}

/**
 * The name of the host of a Mero node by its fid. The key has the name alone, so this reads all Mero nodes of the zone,
 * a few hundred at most.
 */
async function fqdnOfFid(shell: Shell, zone: string, fid: Fid): Promise<Fqdn> {
  if (readFid(fid)!.type !== 'node')
    throw new Refusal('invalid', `Requested fid is not a node fid: ${fid} is that of a ${readFid(fid)!.type}`);
  for await (const { body } of rowsIn(shell, zone, clusterRange('node')))
    if ((body as MeroNode).fid === fid) return (body as MeroNode).fqdn;
  throw new Refusal('unknown-node', `the storage cluster of zone ${zone} has no node ${fid}`);
}

/**
 * A process and its row. Throws a {@link Refusal} for the fid of anything else, or of a process that this cluster does
 * not have.
 */
export async function meroProcess(
  shell: Shell,
  reading: Reading,
  cluster: StorageCluster,
  fid: Fid,
): Promise<{ readonly process: MeroProcess; readonly row: Row }> {
  const { type } = readFid(fid)!;
  if (type !== 'process') throw new Refusal('invalid', `${fid} is the fid of a ${type}, not of a process`);
  const row = await reading.row(processRef(processId({ zone: cluster.zone, fid })));
  const process = stateOf(row, shell.now());
  if (!process || !isLive(process, cluster))
    throw new Refusal('unknown-process', `the storage cluster of zone ${cluster.zone} has no process ${fid}`);
  return { process, row: row! };
}

/** The processes of a Mero node, in the order in which they were added; only those whose rows exist and count. */
export async function processesOfNode(shell: Shell, reading: Reading, cluster: StorageCluster, node: MeroNode): Promise<MeroProcess[]> {
  const rows = await reading.rows(node.processes.map((fid) => processRef(processId({ zone: cluster.zone, fid }))));
  return rows.flatMap((row) => {
    const process = stateOf(row, shell.now());
    return process && isLive(process, cluster) ? [process] : [];
  });
}

/**
 * Makes the agent of a host read its desired state again, in the commit of the order; nothing if no node of that host
 * has joined.
 */
export async function orderTo(
  reading: Reading,
  node: Held<Node>,
  { because, now }: { readonly because: string; readonly now: ReturnType<Shell['now']> },
): Promise<PlannedChange[]> {
  if (!node.state) return [];
  const ref = desiredRef(node.state.id);
  const row = await reading.row(ref);
  return [{ ref, readRev: row?.rev ?? 0, decision: decideOrder(stateOf(row, now), because) }];
}
