import type { Fid } from '../facts/fid.ts';
import { bootLevel } from '../processes/process.ts';
import { hasQuorum, type LevelProcess, principalOf, quorumOf } from './levels.ts';

/** What the liveness of a cluster is lost by, in the original's words. */
export const lost = {
  quorum: 'Quorum would be lost.',
  principal: 'No principal RM chosen.',
  pools: 'No writeable PVers found.',
} as const;
export type Lost = (typeof lost)[keyof typeof lost];

/** A pool as liveness sees it: its devices by their WWNs, and how many failures it bears: of devices, and of hosts with all their devices. */
export type LivePool = { readonly devices: readonly string[]; readonly devicesMax: number; readonly hostsMax: number };

/** What is taken into account: processes as levels see them, the principal, pools, and which devices the services of a process have. */
export type LiveCluster = {
  readonly processes: readonly LevelProcess[];
  readonly principal: Fid | undefined;
  readonly pools: readonly LivePool[];
  readonly devicesOf: ReadonlyMap<Fid, readonly string[]>;
};

/**
 * What a pool bears by its attributes: as many devices as it has parity units, unless the file says what may fail at once; then the most of a
 * kind. A host counts as a controller.
 */
export const livePool = (
  devices: readonly string[],
  attributes: { readonly parity_units: number },
  allowed: readonly { readonly ctrl: number; readonly disk: number }[],
): LivePool => ({
  devices,
  devicesMax: allowed.length === 0 ? attributes.parity_units : Math.max(...allowed.map(({ disk }) => disk)),
  hostsMax: Math.max(0, ...allowed.map(({ ctrl }) => ctrl)),
});

/**
 * What the cluster would lose if these processes stopped, in the words of the original; nothing where it goes on. What it has lost already is
 * not said again: nobody can lose it by stopping anything.
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
function losesPool({ pools, devicesOf, processes }: LiveCluster, after: readonly LevelProcess[]): boolean {
  const isWriteable = writeable(devicesOf, processes);
  const isWriteableAfter = writeable(devicesOf, after);
  return pools.some((pool) => isWriteable(pool) && !isWriteableAfter(pool));
}

/** Tells of a pool whether what is missing of it is no more than it bears. A device is missing while the process that has it is not online. */
function writeable(devicesOf: LiveCluster['devicesOf'], processes: readonly LevelProcess[]): (pool: LivePool) => boolean {
  const missingOn = new Map<string, string>();
  for (const { fid, host, state } of processes)
    if (state !== 'online') for (const device of devicesOf.get(fid) ?? []) missingOn.set(device, host);
  return ({ devices, devicesMax, hostsMax }) => {
    const missing = devices.filter((device) => missingOn.has(device));
    return missing.length <= devicesMax || new Set(missing.map((device) => missingOn.get(device))).size <= hostsMax;
  };
}
