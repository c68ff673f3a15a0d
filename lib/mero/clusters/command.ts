import { type Decision, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { levelMax, type StorageCluster } from './cluster.ts';

/** An order of an operator about a storage cluster as a whole. */
export type ClusterCommand =
  /** `isEmpty`: no facts were loaded and no processes added, so there is nothing to start. */
  | { readonly type: 'start'; readonly id: string; readonly isEmpty?: boolean | undefined }
  /** `forced`: processes that exceed their time to stop are not waited for. */
  | { readonly type: 'stop'; readonly id: string; readonly forced?: boolean | undefined; readonly reason?: string | undefined }
  /**
   * The state of each process is unknown from now on. `hard` also applies to a cluster that is not stopped: it goes
   * OFFLINE at once and without its levels.
   */
  | { readonly type: 'reset'; readonly id: string; readonly hard?: boolean | undefined }
  /** The levels are checked anew, and a late step gets its full time again. */
  | { readonly type: 'unstick'; readonly id: string };

/** Why a cluster with nothing to start does not start. */
export const noData = 'Initial data not loaded.';

/** Whether a cluster has stopped as ordered. */
export const isStopped = ({ disposition, level, underWaySince }: StorageCluster): boolean =>
  disposition === 'OFFLINE' && level === -1 && underWaySince === undefined;

/** Decides on an operator's order about a cluster. Its levels follow with the sweep. */
export function decideCluster(cluster: StorageCluster | undefined, command: ClusterCommand, now: EpochMs): Decision<StorageCluster> {
  if (!cluster) return nothing('there is no such storage cluster');
  switch (command.type) {
    case 'start':
      return start(cluster, command.isEmpty === true, now);
    case 'stop':
      return stop(cluster, command, now);
    case 'reset':
      return reset(cluster, command.hard === true, now);
    case 'unstick':
      return unstick(cluster, now);
  }
}

/** Starts a cluster. This also reverses a stop that is under way: processes that still run continue. */
function start(cluster: StorageCluster, isEmpty: boolean, now: EpochMs): Decision<StorageCluster> {
  if (isEmpty) return nothing(noData);
  if (cluster.disposition === 'ONLINE') return nothing('the cluster is already set to ONLINE');
  const { forced: _over, ...rest } = cluster;
  const next: StorageCluster = {
    ...rest,
    disposition: 'ONLINE',
    underWaySince: now,
    // Where there are stations, the plan asks them first.
    ...(cluster.level < 0 && !cluster.stations && { level: 0, levelSince: now, goals: cluster.goals + 1 }),
  };
  return write(next, 'an operator set the cluster to ONLINE', { events: [disposed(next)], wakeAt: now });
}

function stop(
  cluster: StorageCluster,
  { forced = false, reason }: ClusterCommand & { type: 'stop' },
  now: EpochMs,
): Decision<StorageCluster> {
  const isAsked = cluster.disposition === 'OFFLINE' && (cluster.forced === true || !forced);
  if (isAsked) return nothing('the cluster is already set to OFFLINE');
  const next: StorageCluster = { ...cluster, disposition: 'OFFLINE', underWaySince: now, ...(forced && { forced: true }) };
  const why = `an operator set the cluster to OFFLINE${forced ? ', without waiting for late processes' : ''}`;
  const because = reason === undefined ? why : `${why}: ${reason}`;
  return write(next, because, { events: cluster.disposition === 'OFFLINE' ? [] : [disposed(next)], wakeAt: now });
}

function reset(cluster: StorageCluster, isHard: boolean, now: EpochMs): Decision<StorageCluster> {
  if (!isHard && !isStopped(cluster)) return nothing('the cluster is not stopped: stop it first, or reset it hard');
  const { principal: _gone, forced: _over, ...rest } = cluster;
  const next: StorageCluster = {
    ...rest,
    disposition: 'OFFLINE',
    level: -1,
    reached: levelMax,
    underWaySince: now,
    ...(cluster.level !== -1 && { levelSince: now, goals: cluster.goals + 1 }),
  };
  const events = cluster.disposition === 'OFFLINE' ? [] : [disposed(next)];
  return write(next, 'an operator reset the cluster: processes are unknown until their hosts report them', { events, wakeAt: now });
}

function unstick(cluster: StorageCluster, now: EpochMs): Decision<StorageCluster> {
  if (cluster.underWaySince === undefined) return nothing('nothing is under way');
  return write<StorageCluster, never>({ ...cluster, underWaySince: now }, 'an operator had the levels checked anew', { wakeAt: now });
}

const disposed = ({ zone, disposition }: StorageCluster) => ({ type: 'cluster.disposed', version: 1, data: { zone, disposition } });
