import type { StorageCluster } from '../../clusters/cluster.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import { bootLevel, isHalon, isManaged, type MeroProcess } from '../process.ts';

/** What is wanted of a process: that it runs, that it does not, or nothing but to be watched. */
export type Goal = 'run' | 'stop' | 'watch';

/** What of a process says what is wanted of it. */
export type Wanted = Pick<MeroProcess, 'type' | 'stopped' | 'removing'>;

/**
 * What is wanted of a process now. It is computed and never stored, so that a cluster's level moves thousands of
 * processes by one write. Undefined for Halon's own, which is the agent: that nobody starts or stops from here.
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
