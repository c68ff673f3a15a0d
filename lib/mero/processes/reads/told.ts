import { isSame } from '../../../core/decision.ts';
import { usualRestart } from '../../../core/restart.ts';
import type { DesiredProcess } from '../../../nodes/desired/desired.ts';
import type { StorageCluster } from '../../clusters/cluster.ts';
import { configurationOf, prefixOf } from '../../facts/configuration.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import { isHalon, type MeroProcess } from '../process.ts';
import { goalOf } from '../rows/goal.ts';
import { limitsOf } from '../rows/limits.ts';

/** A host of a storage cluster with all its processes, as they are read for its agent. */
export type HostProcesses = {
  readonly cluster: StorageCluster;
  readonly meroNode: MeroNode;
  readonly processes: readonly MeroProcess[];
};

/** The variables of a process on its host, in the order of its file. */
export const environmentOf = (process: MeroProcess, { cluster, processes }: Pick<HostProcesses, 'cluster' | 'processes'>) =>
  configurationOf(process, { haEndpoint: processes.find(isHalon)?.endpoint, profile: cluster.profile });

/**
 * The orders to the agent of a host about each of its processes. Halon's own, which is the agent itself, is not among
 * them.
 */
export function desiredProcesses(host: HostProcesses): DesiredProcess[] {
  const { cluster, meroNode, processes } = host;
  const { startMs, stopMs, attemptsMax, retryMs: everyMs } = limitsOf(cluster);
  const restart = { attemptsMax, everyMs };
  return processes.flatMap((process) => {
    const goal = goalOf(process, cluster, meroNode);
    if (goal === undefined) return [];
    const { fid, type, start } = process;
    const desired = { process: fid, prefix: prefixOf(type), goal, start, environment: environmentOf(process, host), startMs, stopMs };
    return [{ ...desired, ...(!isSame(restart, usualRestart) && { restart }) }];
  });
}
