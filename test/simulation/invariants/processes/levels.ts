import type { StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { bootLevel, type MeroProcess } from '../../../../lib/mero/processes/process.ts';
import type { Invariant } from '../invariant.ts';
import { Clusters, clusterSteps, liveIn } from '../process-rows.ts';

/** What starts before what it needs cannot work. */
export const levels: Invariant = {
  name: 'levels-go-one-at-a-time',
  says: 'the level of a storage cluster goes up only while it is wanted ONLINE and down only while OFFLINE, by one at a time, up only with what the level below needs online, and down only once nothing above is said to run',
  begin: ({ violated }) => {
    const clusters = new Clusters();
    return {
      committed: (changes) => {
        clusters.take(changes);
        for (const { before, after, row } of clusterSteps(changes)) {
          if (!before || !after || before.level === after.level) continue;
          const processes = liveIn(clusters.rows.get(row.key.pk)!, 'process').map(({ body }) => body as MeroProcess);
          const fault = faultOf(before, after, processes);
          if (fault) violated(`from level ${before.level} to ${after.level}: ${fault}`);
        }
      },
    };
  },
};

function faultOf(before: StorageCluster, after: StorageCluster, processes: readonly MeroProcess[]): string | undefined {
  if (Math.abs(after.level - before.level) !== 1) return 'it skips one';
  const isUp = after.level > before.level;
  if (isUp !== (after.disposition === 'ONLINE')) return `it is wanted ${after.disposition}`;
  return isUp && after.level === 1 ? quorumFault(processes) : undefined;
}

/** More than half of the confds are online. */
function quorumFault(processes: readonly MeroProcess[]): string | undefined {
  const confds = processes.filter((process) => bootLevel(process) === 0);
  const online = confds.filter(({ state }) => state.is === 'online').length;
  return online * 2 > confds.length || confds.length === 0 ? undefined : `${online} of ${confds.length} confds are online`;
}
