import { type Decision, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { NodeStatus } from '../../nodes/node.ts';
import { levelMax, type StorageCluster } from '../clusters/cluster.ts';
import type { MeroNode } from '../nodes/mero-node.ts';
import { bootLevel, isHalon, isManaged, type MeroProcess } from './process.ts';

/** What an operator asks for that cannot be, and why, in the words of the original where it had any. */
export type Refused = { readonly does: 'refuse'; readonly because: string };
const refused = (because: string): Refused => ({ does: 'refuse', because });

/** What an order about a process rests on: its cluster, its host there, and the node of that host if there is one. */
export type Ground = {
  readonly cluster: Pick<StorageCluster, 'disposition' | 'level'>;
  readonly meroNode: Pick<MeroNode, 'stopped' | 'removing'>;
  readonly node: { readonly status: NodeStatus } | undefined;
};

/** A process that is started must be able to: its agent is heard, or was a moment ago. */
const serving: readonly NodeStatus[] = ['up', 'suspect', 'quarantined'];

/**
 * `process start`: Muster wants it started once more, by level and also when it had been stopped by an operator. One
 * that is unmanaged is started this once, as nobody else but an operator may have it.
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
  return write<MeroProcess, never>({ ...rest, start: process.start + 1 }, `${fid} is to start, as an operator says`);
}

/** `process stop`: it stays stopped whatever the level. `lost` is what the cluster would lose with it, if anything. */
export function orderStop(
  process: MeroProcess,
  { meroNode }: Pick<Ground, 'meroNode'>,
  lost: string | undefined,
): Decision<MeroProcess> | Refused {
  const { fid } = process;
  if (isHalon(process)) return refused(`${fid} is Halon's own process, which is the agent of ${process.host}: stop that there`);
  if (!isManaged(process)) return refused(`${fid} is unmanaged: whoever started it stops it`);
  if (process.removing || meroNode.removing) return nothing(`${fid} is being removed, and stopped first`);
  if (process.stopped) return nothing(`${fid} was stopped already`);
  if (lost !== undefined) return refused(`Process stop would lower cluster liveness: ${lost}`);
  return write<MeroProcess, never>({ ...process, stopped: true }, `${fid} is to stop, as an operator says`);
}

/** Whether a process has ended, and nothing of it can be running. */
export const hasEnded = ({ state }: Pick<MeroProcess, 'state'>): boolean => state.is === 'offline' || state.is === 'failed';

/** Whether a process can only be removed by whoever it belongs to stopping it first: Muster has no means to. */
export const isInTheWay = (process: MeroProcess): boolean => !isManaged(process) && !isHalon(process) && !hasEnded(process);

/**
 * `process remove`: one that has ended may go at once (`now`), one that Muster runs is stopped first, and one that it
 * does not run is refused until it shows itself offline or failed. `lost` as for a stop.
 */
export function orderRemove(
  process: MeroProcess,
  removeBy: EpochMs,
  lost: string | undefined,
): Decision<MeroProcess> | Refused | { readonly does: 'now' } {
  const { fid, host } = process;
  if (isHalon(process)) return refused(`${fid} is Halon's own process: it goes with its node, by mero node remove ${host}`);
  if (hasEnded(process)) return { does: 'now' };
  if (isInTheWay(process)) return refused(`${fid} is unmanaged and ${process.state.is}: it is removed once it is offline or failed`);
  if (process.removing) return nothing(`${fid} is being removed already`);
  if (lost !== undefined) return refused(`Process removal would lower cluster liveness: ${lost}`);
  return write<MeroProcess, never>({ ...process, removing: true, removeBy }, `${fid} is to be removed, and stops first`);
}

/**
 * `mero node stop`: none of its managed processes runs until it is started. `reason` is the operator's, which `because`
 * keeps.
 */
export function orderNodeStop(meroNode: MeroNode, lost: string | undefined, reason?: string): Decision<MeroNode> | Refused {
  if (meroNode.removing) return nothing(`${meroNode.fqdn} is being removed, and stopped first`);
  if (meroNode.stopped) return nothing(`${meroNode.fqdn} was stopped already`);
  if (lost !== undefined) return refused(`Can't stop node because it leads to: ${lost}`);
  const why = `${meroNode.fqdn} is to stop, as an operator says`;
  return write<MeroNode, never>({ ...meroNode, stopped: true }, reason === undefined ? why : `${why}: ${reason}`);
}

/** `mero node start`: its processes run again as far as the cluster's level and orders about each of them say. */
export function orderNodeStart(meroNode: MeroNode): Decision<MeroNode> | Refused {
  if (meroNode.removing) return refused(`${meroNode.fqdn} is being removed`);
  if (!meroNode.stopped) return nothing(`${meroNode.fqdn} was not stopped`);
  const { stopped: _stopped, ...next } = meroNode;
  return write<MeroNode, never>(next, `${meroNode.fqdn} is to start, as an operator says`);
}

/**
 * `mero node remove`: its processes stop and go, and it with the last of them; with `host` the node of its host, too.
 * Refused while processes are in the way, and all of those are named.
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
  return write<MeroNode, never>(next, `${meroNode.fqdn} is to be removed${host ? ' with its host' : ''}, as an operator says`);
}
