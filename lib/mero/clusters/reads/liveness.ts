import type { Fid } from '../../../core/fid.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { type Lost, lostWithout } from '../liveness.ts';
import { nodesByName, readCluster } from './cluster.ts';
import { devicesByProcess, layoutOf } from './layout.ts';
import { levelProcesses } from './levels.ts';

/**
 * The losses of a storage cluster if these processes stopped, in the words of the original; undefined if none. It reads
 * the whole cluster, its pools and its devices, and serves only requests of people.
 */
export async function lossWithout(shell: Shell, zone: string, gone: readonly Fid[]): Promise<string | undefined> {
  const [now, nodes, devicesOf] = await Promise.all([readCluster(shell, zone), nodesByName(shell, zone), devicesByProcess(shell, zone)]);
  if (!now) return undefined;
  const layout = await layoutOf(shell, now.cluster);
  const pools = layout.pools.map(({ live }) => live);
  const processes = levelProcesses(now, nodes);
  const live = { processes, principal: now.cluster.principal, pools, devicesOf, places: layout.places() };
  const lost: readonly Lost[] = lostWithout(live, new Set(gone));
  return lost.length === 0 ? undefined : lost.join(' ');
}
