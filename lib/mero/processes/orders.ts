import { type Decision, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { NodeStatus } from '../../nodes/node.ts';
import { levelMax, type StorageCluster } from '../clusters/cluster.ts';
import type { MeroNode } from '../nodes/mero-node.ts';
import { bootLevel, isHalon, isManaged, type MeroProcess } from './process.ts';

/** An order that cannot be carried out, and why: in the words of the original where it had any. */
export type Refused = { readonly does: 'refuse'; readonly because: string };
const refused = (because: string): Refused => ({ does: 'refuse', because });

/** The inputs of an order about a process: its cluster, its Mero node, and the node of its host if there is one. */
export type Ground = {
  readonly cluster: Pick<StorageCluster, 'disposition' | 'level'>;
  readonly meroNode: Pick<MeroNode, 'stopped' | 'removing'>;
  readonly node: { readonly status: NodeStatus } | undefined;
};

/** The statuses of a node on which a process can be started: its agent is heard, or was a moment ago. */
const serving: readonly NodeStatus[] = ['up', 'suspect', 'quarantined'];

/**
 * `process start`: has a process started once more if the level allows it, even if an operator had stopped it. An
 * unmanaged process is started only this once, since nothing but an order of an operator starts it.
 */
export function orderStart(process: MeroProcess, { cluster, meroNode, node }: Ground): Decision<MeroProcess> | Refused {
  const { fid, state } = process;
  if (isHalon(process)) return refused('Halon process should be started in halon:m0d.');
  if (process.removing || meroNode.removing) return refused(`${fid} is being removed`);
  if (cluster.disposition === 'OFFLINE') return refused('Cluster disposition is offline');
  if ((bootLevel(process) ?? levelMax) > cluster.level) return refused(`Can't start ${fid} on cluster boot level ${cluster.level}`);
  if (!node) return refused("Can't find node hosting the process");
  if (meroNode.stopped) return refused(`${process.host} was stopped by an operator: start it with mero node start`);
  if (!serving.includes(node.status)) return refused(`Node hosting the process is not online: ${process.host} is ${node.status}`);
  if (!process.stopped && (state.is === 'online' || state.is === 'starting')) return nothing(`${fid} is ${state.is} already`);
  const { stopped: _stopped, attempts: _attempts, retryAt: _retryAt, ...rest } = process;
  return write<MeroProcess, never>({ ...rest, start: process.start + 1 }, `an operator ordered ${fid} to start`);
}

/**
 * `process stop`: the process stays stopped whatever the level. `lost` names the losses of the cluster without it, if
 * any.
 */
export function orderStop(
  process: MeroProcess,
  { meroNode }: Pick<Ground, 'meroNode'>,
  lost: string | undefined,
): Decision<MeroProcess> | Refused {
  const { fid } = process;
  if (isHalon(process)) return refused(`${fid} is Halon's own process, the agent of ${process.host}: stop the agent on that host`);
  if (!isManaged(process)) return refused(`${fid} is unmanaged: Muster cannot stop it, only its owner can`);
  if (process.removing || meroNode.removing) return nothing(`${fid} is being removed, which stops it first`);
  if (process.stopped) return nothing(`${fid} was stopped already`);
  if (lost !== undefined) return refused(`Process stop would lower cluster liveness: ${lost}`);
  return write<MeroProcess, never>({ ...process, stopped: true }, `an operator ordered ${fid} to stop`);
}

/** Whether a process has ended, so that nothing of it can be running. */
export const hasEnded = ({ state }: Pick<MeroProcess, 'state'>): boolean => state.is === 'offline' || state.is === 'failed';

/** Whether a process can only be removed after its owner has stopped it: Muster cannot stop it. */
export const isInTheWay = (process: MeroProcess): boolean => !isManaged(process) && !isHalon(process) && !hasEnded(process);

/**
 * `process remove`: a process that has ended may go at once (`now`). Muster first stops a process that it runs. It
 * refuses to remove an unmanaged process until that is offline or failed. `lost` is as for a stop.
 */
export function orderRemove(
  process: MeroProcess,
  removeBy: EpochMs,
  lost: string | undefined,
): Decision<MeroProcess> | Refused | { readonly does: 'now' } {
  const { fid, host } = process;
  if (isHalon(process)) return refused(`${fid} is Halon's own process: remove it with its node, by mero node remove ${host}`);
  if (hasEnded(process)) return { does: 'now' };
  if (isInTheWay(process)) return refused(`${fid} is unmanaged and ${process.state.is}: remove it once it is offline or failed`);
  if (process.removing) return nothing(`${fid} is being removed already`);
  if (lost !== undefined) return refused(`Process removal would lower cluster liveness: ${lost}`);
  return write<MeroProcess, never>({ ...process, removing: true, removeBy }, `an operator removes ${fid}, which stops first`);
}

/**
 * `mero node stop`: none of its managed processes runs until the node is started again. `because` records the
 * operator's `reason`.
 */
export function orderNodeStop(meroNode: MeroNode, lost: string | undefined, reason?: string): Decision<MeroNode> | Refused {
  if (meroNode.removing) return nothing(`${meroNode.fqdn} is being removed, which stops it first`);
  if (meroNode.stopped) return nothing(`${meroNode.fqdn} was stopped already`);
  if (lost !== undefined) return refused(`Can't stop node because it leads to: ${lost}`);
  const why = `an operator ordered ${meroNode.fqdn} to stop`;
  return write<MeroNode, never>({ ...meroNode, stopped: true }, reason === undefined ? why : `${why}: ${reason}`);
}

/** `mero node start`: its processes run again as far as the cluster's level and the orders about each of them allow. */
export function orderNodeStart(meroNode: MeroNode): Decision<MeroNode> | Refused {
  if (meroNode.removing) return refused(`${meroNode.fqdn} is being removed`);
  if (!meroNode.stopped) return nothing(`${meroNode.fqdn} was not stopped`);
  const { stopped: _stopped, ...next } = meroNode;
  return write<MeroNode, never>(next, `an operator ordered ${meroNode.fqdn} to start`);
}

/**
 * `mero node remove`: its processes stop and go, and the Mero node goes with the last of them. With `host` the node of
 * its host goes, too. The order is refused while unmanaged processes are in the way, and the refusal names all of them.
 */
export function orderNodeRemove(
  meroNode: MeroNode,
  processes: readonly MeroProcess[],
  { host, by, lost }: { readonly host: boolean; readonly by: EpochMs; readonly lost: string | undefined },
): Decision<MeroNode> | Refused {
  const inTheWay = processes.filter(isInTheWay).map(({ fid, state }) => `${fid} (${state.is})`);
  if (inTheWay.length > 0)
    return refused(`${meroNode.fqdn} has unmanaged processes that are neither offline nor failed: ${inTheWay.join(', ')}`);
  const { removing } = meroNode;
  if (removing && (removing.host || !host)) return nothing(`${meroNode.fqdn} is being removed already`);
  if (!removing && lost !== undefined) return refused(`Can't remove node because it leads to: ${lost}`);
  const next: MeroNode = { ...meroNode, stopped: true, removing: { host, by: removing?.by ?? by } };
  return write<MeroNode, never>(next, `an operator removes ${meroNode.fqdn}${host ? ' with its host' : ''}`);
}
