import type { StorageCluster } from '../../clusters/cluster.ts';
import { varIn, varMs } from '../../clusters/rows/vars.ts';

/** The limits of a cluster for its processes: spans in ms, and how often a failed process is started again. */
export type Limits = { readonly startMs: number; readonly stopMs: number; readonly attemptsMax: number; readonly retryMs: number };

/**
 * How long a process must have been online before its attempts are forgotten, in ms: as long as a start may take. A
 * process that ends sooner each time has not come up, however often it is reported online.
 */
export const steadyMs = ({ startMs }: Limits): number => startMs;

/** The limits of a cluster, by its variables. */
export const limitsOf = (cluster: Pick<StorageCluster, 'vars'>): Limits => ({
  startMs: varMs(cluster, 'process_start_timeout'),
  stopMs: varMs(cluster, 'process_stop_timeout'),
  attemptsMax: Number(varIn(cluster, 'process_max_start_attempts')),
  retryMs: varMs(cluster, 'process_restart_retry_interval'),
});
