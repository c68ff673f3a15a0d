import type { MeroLoad } from '../../../../lib/mero/loads/load.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Invariant } from '../invariant.ts';
import { type ClusterRows, Clusters, clusterIn } from '../process-rows.ts';

/** What stays of a storage zone that is no more. */
const staying = ['fids', 'mero-roles', 'halon-roles'];

/** Rows that nobody can reach cost room, and names that others want. */
export const loadsLeft: Invariant = {
  name: 'nothing-is-left-of-other-loads',
  says: 'in the end there is no row of a load that is neither the cluster nor under way, no note of what was handed in of one that has ended, and of a storage zone that was deleted nothing but the counter of its fids',
  begin: () => {
    const clusters = new Clusters();
    return {
      committed: (changes) => void clusters.take(changes),
      unrest: () => [...clusters.rows].flatMap(([pk, rows]) => leftIn(rows).map((what) => `${pk} has ${what}`)),
    };
  },
};

function leftIn(rows: ClusterRows): string[] {
  const cluster = clusterIn(rows);
  if (!cluster) return [...rows.keys()].filter((sk) => !staying.includes(sk)).map((sk) => `${sk}, and is deleted`);
  const underWay = (rows.get('load')?.body as MeroLoad | undefined)?.load;
  const isLeft = ([sk, { body }]: readonly [string, Row]): boolean => {
    const { load } = body as { load?: string };
    if (load === undefined || load === underWay) return false;
    return sk.startsWith('part#') || load !== cluster.loaded?.load;
  };
  return [...rows].filter(isLeft).map(([sk, { body }]) => `${sk} of load ${(body as { load: string }).load}`);
}
