import type { StorageCluster } from '../../clusters/cluster.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import { bootLevel, isHalon, isManaged, type MeroProcess } from '../process.ts';

/** The goal of a process: it must run, it must not run, or Muster only watches it. */
export type Goal = 'run' | 'stop' | 'watch';

/** The fields of a process that decide on its goal. */
export type Wanted = Pick<MeroProcess, 'type' | 'stopped' | 'removing'>;

/**
 * The goal of a process now. It is computed and never stored, so that one write of a cluster's level moves thousands of
 * processes. Undefined for Halon's own, which is the agent: Muster neither starts nor stops that.
 */
export function goalOf(
  process: Wanted,
  { level }: Pick<StorageCluster, 'level'>,
  meroNode: Pick<MeroNode, 'stopped'> | undefined,
): Goal | undefined {
  if (isHalon(process)) return undefined;
  if (!isManaged(process)) return 'watch';
  const isWanted = bootLevel(process)! <= level && !process.stopped && !process.removing && !meroNode?.stopped;
  return isWanted ? 'run' : 'stop';
}
