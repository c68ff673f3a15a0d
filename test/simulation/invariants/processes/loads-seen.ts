import type { EpochMs } from '../../../../lib/core/time.ts';
import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import type { Answered } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { type ClusterRows, Clusters, clusterIn, liveIn } from '../process-rows.ts';

/** From when to when readers of a cluster may see a process. */
type Seen = { readonly from: EpochMs; to?: EpochMs };

const asked = /^\/api\/v1\/zones\/([^/]+)\/(mero|graph|mero\/processes\/[^/]+)$/;

/** Nobody acts upon half a cluster. */
export const loadsSeen: Invariant = {
  name: 'a-load-is-seen-whole-or-not-at-all',
  says: 'no answer about a storage cluster shows a process of a load that is not the cluster; and a status or a graph that was asked for afterwards shows all processes that are there all the while',
  begin: ({ kernel, violated }) => {
    const clusters = new Clusters();
    const seen = new Map<string, Map<string, Seen>>();
    return {
      committed: (changes) => {
        for (const pk of clusters.take(changes)) {
          const live = fidsIn(clusters.rows.get(pk)!);
          const known = seen.get(pk) ?? new Map<string, Seen>();
          seen.set(pk, known);
          for (const fid of live) if (!known.has(fid)) known.set(fid, { from: kernel.now });
          for (const [fid, one] of known) if (one.to === undefined && !live.has(fid)) one.to = kernel.now;
        }
      },
      answered: (answer) => {
        const [, zone, what] = (answer.method === 'GET' && answer.status === 200 && asked.exec(answer.path)) || [];
        if (zone === undefined) return;
        for (const fault of faultsOf(answer, seen.get(`cluster#${zone}`) ?? new Map(), what === 'mero' || what === 'graph'))
          violated(`${answer.path}, asked for at ${answer.askedAt}, ${fault}`);
      },
    };
  },
};

const fidsIn = (rows: ClusterRows): ReadonlySet<string> =>
  new Set(clusterIn(rows) ? liveIn(rows, 'process').map(({ body }) => (body as MeroProcess).fid as string) : []);

function faultsOf({ body, askedAt, at, query }: Answered, known: ReadonlyMap<string, Seen>, isList: boolean): string[] {
  const shown = new Set(body.match(/0x7200000000000001:0x[0-9a-f]+/g));
  const unseen = [...shown].filter((fid) => !known.has(fid)).map((fid) => `shows ${fid}, which is not there for readers`);
  const isWhole = isList && !/cursor|summary/.test(query) && (JSON.parse(body) as { next?: string }).next === undefined;
  if (!isWhole) return unseen;
  const missing = [...known].filter(([fid, { from, to = at }]) => from < askedAt && to >= at && !shown.has(fid));
  return [...unseen, ...missing.map(([fid, { from }]) => `does not show ${fid}, which is there since ${from}`)];
}
