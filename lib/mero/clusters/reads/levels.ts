import type { Node, NodeStatus } from '../../../nodes/node.ts';
import type { LevelProcess } from '../../levels/levels.ts';
import type { MeroProcess } from '../../processes/process.ts';
import { displayedState } from '../../processes/rows/shown.ts';
import type { ClusterNow } from './cluster.ts';

/** The statuses of a node that drives its processes: it is heard, or was a moment ago. */
const heard: readonly NodeStatus[] = ['joining', 'up', 'suspect', 'leaving', 'quarantined'];

/** The processes of a cluster as its levels see them, from the nodes of their hosts by name. */
export const levelProcesses = (now: ClusterNow, nodes: ReadonlyMap<string, Node>): LevelProcess[] =>
  now.processes.map((process) => levelProcess(process, now, nodes.get(process.host)));

function levelProcess(process: MeroProcess, { cluster, meroNodes }: ClusterNow, node: Node | undefined): LevelProcess {
  const meroNode = meroNodes.get(process.host);
  const { fid, host, type, services, stopped, removing } = process;
  const state = displayedState(process, { node, cluster, meroNode }).is;
  // A process that was loaded and never started is unknown, and there is nothing to wait for.
  const isNews = state === 'unknown' && process.heard === undefined;
  return {
    fid,
    host,
    type,
    services,
    state,
    isAway: isNews || node === undefined || !heard.includes(node.status),
    isUnwanted: stopped === true || removing === true || meroNode?.stopped === true,
  };
}
