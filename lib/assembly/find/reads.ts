import type { AdminCaller } from '../../access/verify-admin.ts';
import { type ClusterNow, nodesByName, readCluster } from '../../mero/clusters/reads/cluster.ts';
import { displayedState } from '../../mero/processes/rows/shown.ts';
import { typeText } from '../../mero/processes/words.ts';
import { hostIn, poolLists, waitingIn } from '../../nodes/admission/reads.ts';
import { zoneOfHost } from '../../nodes/admission/rows/pooled-host.ts';
import { serviceList } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import { inParts } from '../../runtime/in-parts.ts';
import { readListed } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { wholeList } from '../../runtime/whole-list.ts';
import { nodesOfServices } from '../../services/reads/found.ts';
import { viewedState } from '../../services/rows/shown.ts';
import { serviceRef } from '../../services/service.ts';
import { zonesOf } from '../../zones/handlers/list.ts';
import { nodeRows } from '../preview/rows.ts';
import type { ThingKind } from './routes.ts';
import { ofHost, ofNode, ofProcess, ofService, type Thing } from './things.ts';

/** Zones that are read at once, and waiting hosts. */
const atOnce = 4;
const pageLimit = 1_000;

/** All things of these kinds that a caller may see, as they are now: each row of them is read. */
export async function thingsSeen(shell: Shell, kinds: ReadonlySet<ThingKind>, caller: AdminCaller): Promise<Thing[]> {
  const ofZones = await inParts(await zonesOf(shell, caller), atOnce, async (zone) => [
    ...(kinds.has('node') ? await nodesIn(shell, zone) : []),
    ...(kinds.has('service') ? await servicesIn(shell, zone) : []),
    ...(kinds.has('process') ? await processesIn(shell, zone) : []),
  ]);
  return [...ofZones.flat(), ...(kinds.has('host') ? await hostsSeen(shell, caller) : [])];
}

async function nodesIn(shell: Shell, zone: string): Promise<Thing[]> {
  return (await nodeRows(shell, zone)).map(({ body }) => ofNode(body));
}

async function servicesIn(shell: Shell, zone: string): Promise<Thing[]> {
  const keys = (await wholeList(shell, serviceList(zone))).map(({ key }) => key);
  const states = (await readListed(shell, serviceRef, keys)).flatMap((row) => stateOf(row, shell.now()) ?? []);
  const services = states.filter((one) => one.zone === zone);
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
