import type { StorageCluster } from '../clusters/cluster.ts';
import type { LevelProcess } from '../clusters/levels.ts';
import { type Decision, nothing } from '../decision.ts';
import type { Node, NodeStatus } from '../nodes/node.ts';
import { bootLevel, type MeroProcess } from '../processes/process.ts';
import { shownState } from '../processes/shown.ts';
import { apply } from '../runtime/apply.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { keyOf } from '../table/keys.ts';
import { clusterRef } from '../zones/create.ts';
import type { ClusterNow } from './cluster.ts';

/** Whoever is heard drives its processes, or was heard a moment ago. */
const heard: readonly NodeStatus[] = ['joining', 'up', 'suspect', 'leaving', 'quarantined'];

/** The processes of a cluster as its levels see them, from the nodes of their hosts by name. */
export const levelProcesses = (now: ClusterNow, nodes: ReadonlyMap<string, Node>): LevelProcess[] =>
  now.processes.map((process) => levelProcess(process, now, nodes.get(process.host)));

function levelProcess(process: MeroProcess, { cluster, meroNodes }: ClusterNow, node: Node | undefined): LevelProcess {
  const meroNode = meroNodes.get(process.host);
  const { fid, host, type, services, stopped, removing } = process;
  const state = shownState(process, { node, cluster, meroNode }).is;
  // Of what was loaded and never started nothing is known, and there is nothing to wait for.
  const isNews = state === 'unknown' && process.heard === undefined;
  return {
    ...{ fid, host, type, services, state },
    isAway: isNews || node === undefined || !heard.includes(node.status),
    isUnwanted: stopped === true || removing === true || meroNode?.stopped === true,
  };
}

/**
 * Says that processes of a zone did something that its cluster's levels may rest on: the next sweep looks at them. One read; a write only for the
 * first of those that report between two sweeps.
 */
export async function lookAtLevels(shell: Shell, zone: string): Promise<void> {
  const now = shell.now();
  const row = await shell.table.read(keyOf(clusterRef(zone)));
  if (!stateOf<StorageCluster>(row, now) || (row?.wakeAt !== undefined && row.wakeAt <= now)) return;
  const input = { type: 'tick' as const, id: `look-${shell.newId()}` };
  const soon = (cluster: StorageCluster | undefined): Decision<StorageCluster> => nothing('a process has another state', cluster && now);
  await apply<StorageCluster, typeof input>(shell, clusterRef(zone), input, soon, row);
}

/** The same after a decision about a process, where levels rest on that: on what Muster does not drive they never do. */
export async function lookAfter(shell: Shell, decision: Decision<unknown>): Promise<void> {
  if (decision.does !== 'write') return;
  const { zone, type } = decision.next as MeroProcess;
  if (bootLevel({ type }) !== undefined) await lookAtLevels(shell, zone);
}
