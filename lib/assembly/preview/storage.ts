import type { Fid } from '../../core/fid.ts';
import { type LiveCluster, lostWithout } from '../../mero/clusters/liveness.ts';
import { type ClusterNow, nodesByName, readCluster } from '../../mero/clusters/reads/cluster.ts';
import { devicesByProcess, layoutOf } from '../../mero/clusters/reads/layout.ts';
import { levelProcesses } from '../../mero/clusters/reads/levels.ts';
import { type LevelProcess, principalOf, reachedUp } from '../../mero/levels/levels.ts';
import { bootLevel, type MeroProcess } from '../../mero/processes/process.ts';
import { typeText } from '../../mero/processes/words.ts';
import type { Node } from '../../nodes/node.ts';
import type { Shell } from '../../runtime/shell.ts';
import { servicesOf } from '../../services/reads/of-node.ts';
import { stationsOf } from '../../stations/reads.ts';
import { quorumOf } from '../../stations/rows/quorum.ts';
import type { StationsLeft, StorageLoss } from './routes.ts';

/** How many processes an answer lists at most. */
const listedMax = 500;

/** The hosts that a storage cluster would lose, by name, and those of them that are nodes. */
export type LostHosts = { readonly hosts: ReadonlySet<string>; readonly nodes: readonly Node[] };

/**
 * What a storage cluster would lose with these hosts: their processes with everything in them, the levels that rest on
 * those, and its liveness. Undefined where there is no cluster.
 */
export async function storageLoss(shell: Shell, zone: string, { hosts, nodes }: LostHosts): Promise<StorageLoss | undefined> {
  const [now, named, devicesOf] = await Promise.all([readCluster(shell, zone), nodesByName(shell, zone), devicesByProcess(shell, zone)]);
  if (!now) return undefined;
  const { pools, places } = await layoutOf(shell, now.cluster);
  const processes = levelProcesses(now, named);
  const gone = now.processes.filter(({ host }) => hosts.has(host));
  const live = { processes, principal: now.cluster.principal, pools: pools.map((one) => one.live), devicesOf, places: places() };
  const services = await Promise.all(
    nodes.map(async (node) => (await servicesOf(shell, node)).map(({ type }) => ({ type, host: node.fqdn }))),
  );
  return {
    hosts: [...new Set([...gone.map(({ host }) => host), ...nodes.map(({ fqdn }) => fqdn)])],
    processes: gone.slice(0, listedMax).map(lostProcess),
    totals: {
      processes: gone.length,
      services: gone.reduce((sum, one) => sum + one.services.length, 0),
      devices: gone.reduce((sum, { devices }) => sum + devices, 0),
    },
    levels: levelsOf(now, hosts),
    ...levelsLeft(now, live, new Set(gone.map(({ fid }) => fid))),
    services: services.flat(),
  };
}

function lostProcess(process: MeroProcess): StorageLoss['processes'][number] {
  const { fid, host, services, devices } = process;
  const level = bootLevel(process);
  const its = services.map((one) => ({ service: one.fid, type: one.type }));
  return { process: fid, host, type: typeText(process), ...(level !== undefined && { level }), services: its, devices };
}

/** The levels at which processes would go, and how many there are at each. */
function levelsOf({ processes }: ClusterNow, hosts: ReadonlySet<string>): StorageLoss['levels'] {
  const driven = processes.flatMap((process) => {
    const level = bootLevel(process);
    return level === undefined ? [] : [{ level, isLost: hosts.has(process.host) }];
  });
  return [...Map.groupBy(driven, ({ level }) => level)]
    .map(([level, some]) => ({ level, lost: some.filter(({ isLost }) => isLost).length, of: some.length }))
    .filter(({ lost }) => lost > 0)
    .sort((a, b) => a.level - b.level);
}

/** The level that the cluster still reaches without these processes, and what it loses of its liveness. */
function levelsLeft(
  { cluster }: ClusterNow,
  live: LiveCluster,
  gone: ReadonlySet<Fid>,
): Pick<StorageLoss, 'reached' | 'level' | 'liveness'> {
  const after = live.processes.map((one): LevelProcess => (gone.has(one.fid) ? { ...one, state: 'inhibited', isAway: true } : one));
  const reached = reachedUp(cluster.level, { processes: after, principal: principalOf(cluster.principal, after) });
  return { reached: Math.min(reached, cluster.reached), level: cluster.level, liveness: [...lostWithout(live, gone)] };
}

/** Whether a majority of the stations of a zone is still heard without these hosts; undefined in a zone without any. */
export async function stationsLeft(shell: Shell, zone: string, hosts: ReadonlySet<string>): Promise<StationsLeft | undefined> {
  const stations = await stationsOf(shell, zone);
  if (!stations || stations.hosts.length === 0) return undefined;
  const { needed, heard } = quorumOf(stations, shell.now());
  const left = heard.filter((host) => !hosts.has(host)).length;
  return { stations: stations.hosts.length, needed, heard: left, isQuorate: left >= needed };
}
