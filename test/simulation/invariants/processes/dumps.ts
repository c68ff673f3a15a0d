import type { EpochMs } from '../../../../lib/core/time.ts';
import { checkFacts } from '../../../../lib/mero/facts/check/check.ts';
import { cutFacts } from '../../../../lib/mero/facts/load/cut.ts';
import type { Invariant } from '../invariant.ts';
import { Clusters, clusterIn, liveIn } from '../process-rows.ts';

/** What a cluster was made of when it was loaded, and since when; `isSame` as long as it still is. */
type Made = { readonly load: string; readonly names: string; readonly since: EpochMs; isSame: boolean };

/** What is written down of a cluster must make the same again. */
export const dumps: Invariant = {
  name: 'a-dump-is-what-was-loaded',
  says: 'the facts that are written down of a storage cluster to which nothing was added, and of which nothing was removed, have no defect and are those that were loaded',
  begin: ({ kernel, violated }) => {
    const clusters = new Clusters();
    const made = new Map<string, Made>();
    return {
      committed: (changes) => {
        for (const pk of clusters.take(changes)) {
          const rows = clusters.rows.get(pk)!;
          const load = clusterIn(rows)?.loaded?.load;
          const names = [...liveIn(rows, 'process'), ...liveIn(rows, 'node')].map(({ key }) => key.sk).join();
          const before = made.get(pk);
          if (load === undefined) made.delete(pk);
          else if (before?.load !== load) made.set(pk, { load, names, since: kernel.now, isSame: true });
          else if (before.names !== names) before.isSame = false;
        }
      },
      dumped: ({ zone, from, facts }) => {
        const pk = `cluster#${zone}`;
        const { isSame = false, since = from } = made.get(pk) ?? {};
        if (!isSame || since >= from) return;
        const { identity } = clusterIn(clusters.rows.get(pk)!)!.loaded!;
        const checked = checkFacts(facts);
        const cut = checked.ok ? cutFacts(checked.facts, checked.expansion) : checked;
        if (!cut.ok) violated(`zone ${zone}: ${cut.defects.map(({ path, says }) => `${path.join('.')}: ${says}`).join('; ')}`);
        else if (cut.identity !== identity) violated(`zone ${zone} was loaded as ${identity}, and is written down as ${cut.identity}`);
      },
    };
  },
};
