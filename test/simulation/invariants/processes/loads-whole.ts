import type { Fid } from '../../../../lib/core/fid.ts';
import type { MeroLoad } from '../../../../lib/mero/loads/load.ts';
import type { MeroProcess, ProcessDevices } from '../../../../lib/mero/processes/process.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Committed } from '../../watching.ts';
import type { FactsFile } from '../../world/facts-files.ts';
import type { World } from '../../world/world.ts';
import type { Invariant } from '../invariant.ts';
import { type ClusterRows, Clusters, clusterIn, clusterSteps, liveIn } from '../process-rows.ts';

/** Facts are loaded once, and all of them. */
export const loadsWhole: Invariant = {
  name: 'one-whole-load-becomes-the-cluster',
  says: 'a load becomes the cluster by the commit that ends it, once all of its file is there: its hosts, processes, devices and pages; from then on no load is begun, no row of one is written, and no page of it goes while the cluster is there',
  begin: ({ world, violated }) => {
    const clusters = new Clusters();
    return {
      committed: (changes) => {
        const before = new Map([...clusters.rows].map(([pk, rows]) => [pk, clusterIn(rows)?.loaded?.load]));
        clusters.take(changes);
        for (const step of clusterSteps(changes))
          for (const fault of stepFaults(step, clusters.rows.get(step.row.key.pk)!, changes, world())) violated(fault);
        for (const change of changes) {
          const { pk } = change.after.key;
          const loaded = before.get(pk);
          const fault = loaded !== undefined && clusterIn(clusters.rows.get(pk)!) ? lateFault(change, loaded) : undefined;
          if (fault) violated(`${pk} has load ${loaded}, and ${fault}`);
        }
      },
    };
  },
};

type Step = ReturnType<typeof clusterSteps>[number];

/** What is not as it should be when the row of a cluster names another load than before. */
function stepFaults({ before, after }: Step, rows: ClusterRows, changes: readonly Committed[], world: World): string[] {
  const [was, is] = [before?.loaded, after?.loaded];
  if (!after || was?.load === is?.load) return [];
  const faults = was ? [`it had load ${was.load}, and has ${is?.load}`] : flipFaults(rows, changes, world);
  return faults.map((fault) => `zone ${after.zone}: ${fault}`);
}

/** What is not as it should be when a load becomes the cluster. */
function flipFaults(rows: ClusterRows, changes: readonly Committed[], { files }: World): string[] {
  const cluster = clusterIn(rows)!;
  const { load, identity } = cluster.loaded!;
  const ended = changes.find(({ after }) => after.key.pk === `cluster#${cluster.zone}` && after.key.sk === 'load');
  const isEnded = ended?.after.gone && (ended.before?.body as MeroLoad | undefined)?.load === load;
  const { good = [] } = files.get(cluster.zone) ?? {};
  const file = good.find(({ cut }) => cut.identity === identity);
  if (!file) return [`load ${load} is of no file that is in order`];
  const [there, wanted] = [namesOf(rows, load), namesIn(file)];
  return [
    ...(isEnded ? [] : [`load ${load} goes on`]),
    ...wanted.filter((name) => !there.includes(name)).map((name) => `${name} is not there`),
    ...there.filter((name) => !wanted.includes(name)).map((name) => `${name} is there, and not in the file`),
  ];
}

/** Everything of a load by name: of pages how many there are. */
function namesOf(rows: ClusterRows, load: string): string[] {
  const ofLoad = (kind: Parameters<typeof liveIn>[1]): Row[] =>
    liveIn(rows, kind).filter(({ body }) => (body as { load?: string }).load === load);
  return [
    ...ofLoad('process').map(({ body }) => `process ${(body as MeroProcess).endpoint} on ${(body as MeroProcess).host}`),
    ...ofLoad('node').map(({ body }) => `host ${(body as { fqdn: string }).fqdn}`),
    ...ofLoad('devices').flatMap(({ body }) =>
      (body as ProcessDevices).services.flatMap(({ devices }) => devices.map(({ wwn, serial }) => `device ${wwn} ${serial}`)),
    ),
    ...ofLoad('layout').map((_page, n) => `page ${n}`),
  ];
}

const namesIn = ({ expansion, cut }: FactsFile): string[] => [
  ...expansion.nodes.flatMap(({ fqdn, processes }) => [
    `host ${fqdn}`,
    ...processes.flatMap(({ endpoint, services }) => [
      `process ${endpoint} on ${fqdn}`,
      ...services.flatMap(({ devices }) => devices.map(({ wwn, serial }) => `device ${wwn} ${serial}`)),
    ]),
  ]),
  ...cut.pages.map((_page, n) => `page ${n}`),
];

type Loaded = { readonly load?: string; readonly fid?: Fid };

/** What is written of a load into a cluster that has one, or goes of the one that it has. */
function lateFault({ before, after }: Committed, loaded: string): string | undefined {
  const { sk } = after.key;
  const isNew = before === undefined || before.gone === true;
  const { load } = after.body as Loaded;
  if (!after.gone && isNew && load !== undefined) return `${sk} of load ${load} is written`;
  return after.gone && sk.startsWith('layout#') && (before?.body as Loaded | undefined)?.load === loaded ? `${sk} goes` : undefined;
}
