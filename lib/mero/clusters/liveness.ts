import type { Fid } from '../../core/fid.ts';
import { hasQuorum, type LevelProcess, principalOf, quorumOf } from '../levels/levels.ts';
import { bootLevel } from '../processes/process.ts';
import { bears, type Failures, type Missing, type Standing } from './tolerance.ts';

/** What the liveness of a cluster is lost by, in the original's words. */
export const lost = {
  quorum: 'Quorum would be lost.',
  principal: 'No principal RM chosen.',
  pools: 'No writeable PVers found.',
} as const;
export type Lost = (typeof lost)[keyof typeof lost];

/**
 * A pool as liveness sees it: its devices by their WWNs, and what may fail at once without its loss: any one of these.
 */
export type LivePool = { readonly devices: readonly string[]; readonly allowed: readonly Failures[] };

/**
 * What is taken into account: processes as levels see them, the principal, pools, which devices the services of a
 * process have, and where hosts stand.
 */
export type LiveCluster = {
  readonly processes: readonly LevelProcess[];
  readonly principal: Fid | undefined;
  readonly pools: readonly LivePool[];
  readonly devicesOf: ReadonlyMap<Fid, readonly string[]>;
  readonly standings: ReadonlyMap<string, Standing>;
};

/**
 * What a pool bears by its attributes: as many devices as it has parity units, unless the file says what may fail at
 * once.
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
 * What the cluster would lose if these processes stopped, in the words of the original; nothing where it goes on. What
 * it has lost already is not said again: nobody can lose it by stopping anything.
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

/** Whether a pool that can be written to no longer can when processes are as in `after`. */
function losesPool(cluster: LiveCluster, after: readonly LevelProcess[]): boolean {
  const { pools, processes } = cluster;
  const isWriteable = writeable(cluster, processes);
  const isWriteableAfter = writeable(cluster, after);
  return pools.some((pool) => isWriteable(pool) && !isWriteableAfter(pool));
}

/**
 * Tells of a pool whether what is missing of it is no more than it bears. A device is missing while the process that
 * has it is not online.
 */
function writeable({ devicesOf, standings }: LiveCluster, processes: readonly LevelProcess[]): (pool: LivePool) => boolean {
  const missingOn = new Map<string, string>();
  for (const { fid, host, state } of processes)
    if (state !== 'online') for (const device of devicesOf.get(fid) ?? []) missingOn.set(device, host);
  const missingOf = (device: string): Missing[] => {
    const host = missingOn.get(device);
    return host === undefined ? [] : [{ host, stands: standings.get(host) }];
  };
  return ({ devices, allowed }) => bears(allowed, devices.flatMap(missingOf));
}
