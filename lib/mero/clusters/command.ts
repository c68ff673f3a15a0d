import { type Decision, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { levelMax, type StorageCluster } from './cluster.ts';

/** What an operator says of a storage cluster as a whole. */
export type ClusterCommand =
  /** `isEmpty`: neither facts were loaded nor processes added: there is nothing to start. */
  | { readonly type: 'start'; readonly id: string; readonly isEmpty?: boolean | undefined }
  /** `forced`: whoever has had its time to stop is not waited for. */
  | { readonly type: 'stop'; readonly id: string; readonly forced?: boolean | undefined; readonly reason?: string | undefined }
  /**
   * Nothing is known of any process from now on; `hard` also of a cluster that is not stopped: it is to be OFFLINE, at
   * once and without its levels.
   */
  | { readonly type: 'reset'; readonly id: string; readonly hard?: boolean | undefined }
  /** The levels are looked at anew, and what is late has its time again. */
  | { readonly type: 'unstick'; readonly id: string };

/** What is said of a start where there is nothing to start. */
export const noData = 'Initial data not loaded.';

/** Whether a cluster is stopped as it was told to be. */
export const isStopped = ({ disposition, level, underWaySince }: StorageCluster): boolean =>
  disposition === 'OFFLINE' && level === -1 && underWaySince === undefined;

/** What an operator's word makes of the cluster. Its levels follow with the sweep. */
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

/** Also turns around what is being stopped: whatever still runs goes on. */
function start(cluster: StorageCluster, isEmpty: boolean, now: EpochMs): Decision<StorageCluster> {
  if (isEmpty) return nothing(noData);
  if (cluster.disposition === 'ONLINE') return nothing('the cluster is to be ONLINE already');
  const { forced: _over, ...rest } = cluster;
  const next: StorageCluster = {
    ...rest,
    disposition: 'ONLINE',
    underWaySince: now,
    // Where there are stations the plan asks them first.
    ...(cluster.level < 0 && !cluster.stations && { level: 0, levelSince: now, goals: cluster.goals + 1 }),
  };
  return write(next, 'an operator: the cluster is to be ONLINE', { events: [disposed(next)], wakeAt: now });
}

function stop(
  cluster: StorageCluster,
  { forced = false, reason }: ClusterCommand & { type: 'stop' },
  now: EpochMs,
): Decision<StorageCluster> {
  const isAsked = cluster.disposition === 'OFFLINE' && (cluster.forced === true || !forced);
  if (isAsked) return nothing('the cluster is to be OFFLINE already');
  const next: StorageCluster = { ...cluster, disposition: 'OFFLINE', underWaySince: now, ...(forced && { forced: true }) };
  const why = `an operator: the cluster is to be OFFLINE${forced ? ', and whoever has had its time is not waited for' : ''}`;
  const because = reason === undefined ? why : `${why}: ${reason}`;
  return write(next, because, { events: cluster.disposition === 'OFFLINE' ? [] : [disposed(next)], wakeAt: now });
}

function reset(cluster: StorageCluster, isHard: boolean, now: EpochMs): Decision<StorageCluster> {
  if (!isHard && !isStopped(cluster)) return nothing('the cluster is not stopped: it is reset while it is OFFLINE and nothing runs');
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
  return write(next, 'an operator: what its processes do is not known until their hosts have said it', { events, wakeAt: now });
}

function unstick(cluster: StorageCluster, now: EpochMs): Decision<StorageCluster> {
  if (cluster.underWaySince === undefined) return nothing('nothing is under way');
  return write<StorageCluster, never>({ ...cluster, underWaySince: now }, 'an operator: the levels are looked at anew', { wakeAt: now });
}

const disposed = ({ zone, disposition }: StorageCluster) => ({ type: 'cluster.disposed', version: 1, data: { zone, disposition } });
