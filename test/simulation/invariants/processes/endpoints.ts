import { isLive, type StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import type { EndpointHolder } from '../../../../lib/mero/nodes/mero-node.ts';
import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import type { Invariant } from '../invariant.ts';
import { Clusters, liveIn, standing } from '../process-rows.ts';

/** Two processes that listen at one address are one that nobody reaches. */
export const endpoints: Invariant = {
  name: 'an-endpoint-is-one-processes',
  says: 'no two processes of a storage cluster have one endpoint; and what is removed leaves no endpoint and no devices behind',
  begin: ({ world, violated }) => {
    const all = new Clusters();
    return {
      committed: (changes) => {
        for (const pk of all.take(changes)) {
          const holders = new Map<string, string>();
          for (const { endpoint, fid } of liveIn(all.rows.get(pk)!, 'process').map(({ body }) => body as MeroProcess)) {
            const other = holders.get(endpoint);
            if (other !== undefined) violated(`${endpoint} is that of ${other} and of ${fid}`);
            holders.set(endpoint, fid);
          }
        }
      },
      unrest: () => {
        const clusters = standing<StorageCluster>(world(), 'cluster');
        const processes = standing<MeroProcess>(world(), 'process').filter(({ state }) =>
          clusters.some((cluster) => cluster.state.zone === state.zone && isLive(state, cluster.state)),
        );
        const fids = new Set<string>(processes.map(({ state }) => state.fid));
        const held = new Map(standing<EndpointHolder>(world(), 'endpoint').map(({ state, row }) => [row.key.sk, state.process as string]));
        return [
          ...[...held].filter(([, fid]) => !fids.has(fid)).map(([endpoint, fid]) => `${endpoint} is held by ${fid}, which is not there`),
          ...standing(world(), 'devices')
            .filter(({ row }) => !fids.has(decodeURIComponent(row.key.sk.split('#')[2]!)))
            .map(({ row }) => `${row.key.sk} is of a process that is not there`),
        ];
      },
    };
  },
};
