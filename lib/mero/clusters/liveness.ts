import type { Fid } from '../../core/fid.ts';
import { hasQuorum, type LevelProcess, principalOf, quorumOf } from '../levels/levels.ts';
import { bootLevel } from '../processes/process.ts';
import { bears, type Failures, type HostPlace, type Missing } from './tolerance.ts';

/** The ways in which a cluster loses its liveness, in the original's words. */
export const lost = {
  quorum: 'Quorum would be lost.',
  principal: 'No principal RM chosen.',
  pools: 'No writeable PVers found.',
} as const;
export type Lost = (typeof lost)[keyof typeof lost];

/**
 * A pool as liveness sees it: its devices by their WWNs, and the failures that it bears at once, any one of `allowed`.
 */
export type LivePool = { readonly devices: readonly string[]; readonly allowed: readonly Failures[] };

/**
 * The inputs of a check of liveness: processes as levels see them, the principal, pools, the devices of the services of
 * each process, and the places of hosts.
 */
export type LiveCluster = {
  readonly processes: readonly LevelProcess[];
  readonly principal: Fid | undefined;
  readonly pools: readonly LivePool[];
  readonly devicesOf: ReadonlyMap<Fid, readonly string[]>;
  readonly places: ReadonlyMap<string, HostPlace>;
};

/**
 * A pool with what it bears by its attributes: as many devices as it has parity units, unless the file gives what may
 * fail at once.
 */
export const livePool = (
  devices: readonly string[],
  attributes: { readonly parity_units: number },
  allowed: readonly Failures[],
): LivePool => ({
  devices,
  allowed: allowed.length > 0 ? allowed : [{ site: 0, rack: 0, encl: 0, ctrl: 0, disk: attributes.parity_units }],
});

/**
 * The losses of the cluster if these processes stopped, in the words of the original; empty if none. A loss that has
 * already happened is not repeated: no stop can cause it.
 */
export function lostWithout(cluster: LiveCluster, gone: ReadonlySet<Fid>): readonly Lost[] {
  const { processes, principal } = cluster;
  const after = processes.map((process): LevelProcess => (gone.has(process.fid) ? { ...process, state: 'offline' } : process));
  const hasConfds = processes.some((process) => bootLevel(process) === 0);
  const isPrincipalLost = hasConfds && principalOf(principal, processes) !== undefined && principalOf(principal, after) === undefined;
  return [
    ...(hasQuorum(quorumOf(processes)) && !hasQuorum(quorumOf(after)) ? [lost.quorum] : []),
    ...(isPrincipalLost ? [lost.principal] : []),
    ...(losesPool(cluster, after) ? [lost.pools] : []),
  ];
}

/** Whether a pool that is writeable now no longer is with processes as in `after`. */
function losesPool(cluster: LiveCluster, after: readonly LevelProcess[]): boolean {
  const { pools, processes } = cluster;
  const isWriteable = writeable(cluster, processes);
  const isWriteableAfter = writeable(cluster, after);
  return pools.some((pool) => isWriteable(pool) && !isWriteableAfter(pool));
}

/**
 * Returns a function that tells whether a pool bears all that is missing of it. A device is missing while the process
 * that has it is not online.
 */
function writeable({ devicesOf, places }: LiveCluster, processes: readonly LevelProcess[]): (pool: LivePool) => boolean {
  const missingOn = new Map<string, string>();
  for (const { fid, host, state } of processes)
    if (state !== 'online') for (const device of devicesOf.get(fid) ?? []) missingOn.set(device, host);
  const missingOf = (device: string): Missing[] => {
    const host = missingOn.get(device);
    return host === undefined ? [] : [{ host, place: places.get(host) }];
  };
  return ({ devices, allowed }) => bears(allowed, devices.flatMap(missingOf));
}
