import type { AdminCaller } from '../../access/verify-admin.ts';
import { isEverywhere } from '../../access/zones-of-caller.ts';
import type { Ref } from '../../core/ref.ts';
import { type ClusterNow, nodesByName, readCluster } from '../../mero/clusters/reads/cluster.ts';
import { displayedState } from '../../mero/processes/rows/shown.ts';
import { typeText } from '../../mero/processes/words.ts';
import { hostIn, poolLists, waitingIn } from '../../nodes/admission/reads.ts';
import { zoneOfHost } from '../../nodes/admission/rows/pooled-host.ts';
import { nodeRef } from '../../nodes/node.ts';
import { nodeList, serviceList, zoneList } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import { inParts } from '../../runtime/in-parts.ts';
import { readListed } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { nodesOfServices } from '../../services/reads/found.ts';
import { viewedState } from '../../services/rows/shown.ts';
import { serviceRef } from '../../services/service.ts';
import type { ThingKind } from './routes.ts';
import { ofHost, ofNode, ofProcess, ofService, type Thing } from './things.ts';

/** Zones that are read at once, and entries of a list. */
const atOnce = 4;
const pageLimit = 1_000;

/** All things of these kinds that a caller may see, as they are now: each row of them is read. */
export async function thingsSeen(shell: Shell, kinds: ReadonlySet<ThingKind>, caller: AdminCaller): Promise<Thing[]> {
  const zones = await zonesSeen(shell, caller);
  const ofZones = await inParts(zones, atOnce, async (zone) => [
    ...(kinds.has('node') ? await nodesIn(shell, zone) : []),
    ...(kinds.has('service') ? await servicesIn(shell, zone) : []),
    ...(kinds.has('process') ? await processesIn(shell, zone) : []),
  ]);
  return [...ofZones.flat(), ...(kinds.has('host') ? await hostsSeen(shell, caller) : [])];
}

async function zonesSeen(shell: Shell, caller: AdminCaller): Promise<readonly string[]> {
  return isEverywhere(caller) ? (await entriesOf(shell, zoneList)).map(({ sk }) => sk) : [...caller.zones];
}

async function nodesIn(shell: Shell, zone: string): Promise<Thing[]> {
  const nodes = await statesOf(shell, nodeRef, nodeList(zone));
  // A node that moved since it was listed is listed in its zone.
  return nodes.filter((node) => node.zone === zone).map(ofNode);
}

async function servicesIn(shell: Shell, zone: string): Promise<Thing[]> {
  const services = (await statesOf(shell, serviceRef, serviceList(zone))).filter((one) => one.zone === zone);
  const nodes = await nodesOfServices(shell, services);
  return services.map((one) => ofService(one, viewedState(one, nodes.get(one.node)).is));
}

async function processesIn(shell: Shell, zone: string): Promise<Thing[]> {
  const cluster = await readCluster(shell, zone);
  if (!cluster) return [];
  const nodes = await nodesByName(shell, zone);
  const stateIn = (process: ClusterNow['processes'][number]): string =>
    displayedState(process, {
      node: nodes.get(process.host),
      cluster: cluster.cluster,
      meroNode: cluster.meroNodes.get(process.host),
    }).is;
  return cluster.processes.map((process) => ofProcess(process, typeText(process), stateIn(process)));
}

async function hostsSeen(shell: Shell, caller: AdminCaller): Promise<Thing[]> {
  const hosts: Thing[] = [];
  for (const list of poolLists(caller).filter(({ of }) => of === 'hosts'))
    for (let after: string | undefined; ; ) {
      const { rows, next } = await waitingIn(shell, list, after, pageLimit);
      for (const row of rows) {
        const host = hostIn(list, row, shell.now());
        if (host) hosts.push(ofHost(host, zoneOfHost(host)));
      }
      if (next === undefined) break;
      after = next;
    }
  return hosts;
}

/** The states of all rows of a list. */
async function statesOf<S>(shell: Shell, refs: (...of: never[]) => Ref<S>, pk: string): Promise<S[]> {
  const keys = (await entriesOf(shell, pk)).map(({ key }) => key);
  const rows = await readListed(shell, refs, keys);
  return rows.flatMap((row) => stateOf(row, shell.now()) ?? []);
}

async function entriesOf(shell: Shell, pk: string) {
  const entries = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.queryIndex({ index: 'list', pk, limit: pageLimit, ...(after !== undefined && { after }) });
    entries.push(...page.items);
    after = page.next;
    if (after === undefined) return entries;
  }
}
