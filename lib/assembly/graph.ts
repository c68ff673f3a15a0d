import { createHash } from 'node:crypto';
import type { AdminCall } from '../access/verify-admin.ts';
import { ownerOf } from '../clients/rows/status.ts';
import { rootFid } from '../core/fid.ts';
import {
  devicesFragment,
  meroNodeFragment,
  nodeFragment,
  processFragment,
  serviceFragment,
  stationsFragment,
  systemFragment,
  zoneFragment,
} from '../graph/fragments.ts';
import { type Fragment, joined } from '../graph/graph.ts';
import { layoutFragment } from '../graph/layout-fragments.ts';
import { clusterRef, isLive, type StorageCluster } from '../mero/clusters/cluster.ts';
import { layoutRef } from '../mero/loads/load.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from '../mero/nodes/mero-node.ts';
import type { MeroProcess, ProcessDevices } from '../mero/processes/process.ts';
import { displayedState } from '../mero/processes/rows/shown.ts';
import { hostRef } from '../nodes/hosts/host.ts';
import { type Node, nodeRef } from '../nodes/node.ts';
import { fqdnRef } from '../nodes/rows/name.ts';
import {
  clientList,
  clientPartitions,
  clusterPartition,
  clusterRange,
  listedIn,
  loadRange,
  nodeList,
  serviceList,
} from '../ports/table/keys.ts';
import type { Page } from '../ports/table/table.ts';
import { stateOf } from '../runtime/content.ts';
import { cursorAt, parted, positionAt, positionOf } from '../runtime/cursors.ts';
import type { Answer } from '../runtime/on-route.ts';
import { read, readListed, readRows, trustedRows } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { putTypesOf } from '../services/handlers/types.ts';
import { typeIn } from '../services/reads/catalogue.ts';
import { nodesOfServices } from '../services/reads/found.ts';
import { relatedOf } from '../services/reads/related.ts';
import { watchersOf } from '../services/reads/supervision.ts';
import { runsWith } from '../services/relations.ts';
import { maskedConfiguration } from '../services/rows/secrets.ts';
import { viewedState } from '../services/rows/shown.ts';
import { type Service, serviceId, serviceRef, supervisorType } from '../services/service.ts';
import { stationsOf } from '../stations/reads.ts';
import { nobody } from '../zones/map/rows/slots.ts';
import { foundZone } from '../zones/reads/found.ts';
import type { LoadedZone } from '../zones/rows/loaded.ts';

/** The inputs with which the parts of a graph are read. */
type Reading = {
  readonly shell: Shell;
  readonly zone: LoadedZone;
  readonly cluster: StorageCluster | undefined;
  readonly limit: number;
};
/** One part of the graph: its fragments after a position, and the position at which it continues. */
type Part = (reading: Reading, after: string | undefined) => Promise<Page<Fragment>>;

/** A page of the resource graph of a zone. It is computed from the current rows, and stored nowhere. */
export async function graph({ params, query, caller }: AdminCall<'graph'>, shell: Shell): Promise<Answer> {
  const zone = await foundZone(shell, params.zone, caller);
  const { name } = zone.head;
  const cluster = await read(shell, clusterRef(name));
  const parts = partsOf(cluster !== undefined, query);
  const signature = `graph of ${name} devices ${query.devices} systems ${query.systems}`;
  const position = await positionOf(shell, query.cursor, signature);
  let [at, after] = position === undefined ? [0, undefined] : parted(position);
  const fragments: Fragment[] = [];
  for (let left = query.limit; at < parts.length && left > 0; ) {
    const page = await parts[at]!({ shell, zone, cluster, limit: left }, after);
    fragments.push(...page.items);
    left -= Math.max(1, page.items.length);
    after = page.next;
    if (after === undefined) at++;
  }
  const next = at < parts.length ? await cursorAt(shell, positionAt(at, after), signature) : undefined;
  return { status: 200, body: { ...joined(fragments), ...(next !== undefined && { next }) } };
}

/** The parts in order: things that others belong to come first. */
const partsOf = (hasCluster: boolean, { devices, systems }: AdminCall<'graph'>['query']): Part[] => [
  itself,
  nodes,
  services,
  ...(hasCluster ? [meroNodes, processes, layoutPages(devices === 'true')] : []),
  ...(hasCluster && devices === 'true' ? [devicesOf] : []),
  ...(systems === 'true' ? Array.from({ length: clientPartitions }, (_, partition) => systemsIn(partition)) : []),
];

const itself: Part = async ({ shell, zone, cluster }) => {
  const stations = zone.head.stations && (await stationsOf(shell, zone.head.name));
  return { items: [joined([zoneFragment(zone.head, cluster && rootFid), ...(stations ? [stationsFragment(stations)] : [])])] };
};

const nodes: Part = async ({ shell, zone, limit }, after) => {
  const page = await shell.table.queryIndex({ index: 'list', pk: nodeList(zone.head.name), limit, ...(after !== undefined && { after }) });
  const rows = await readListed(
    shell,
    nodeRef,
    page.items.map(({ key }) => key),
  );
  const there = rows.flatMap((row) => stateOf(row, shell.now()) ?? []).filter((node) => node.zone === zone.head.name);
  const hosts = await readRows(
    shell,
    there.map(({ id }) => hostRef(id)),
  );
  return { ...page, items: there.map((node, n) => nodeFragment(node, stateOf(hosts[n], shell.now()))) };
};

/** Services of nodes in the state that callers see, which also depends on their node. */
const services: Part = async ({ shell, zone, limit }, after) => {
  const list = serviceList(zone.head.name);
  const page = await shell.table.queryIndex({ index: 'list', pk: list, limit, ...(after !== undefined && { after }) });
  const rows = await readListed(
    shell,
    serviceRef,
    page.items.map(({ key }) => key),
  );
  const there = rows.flatMap((row) => stateOf(row, shell.now()) ?? []).filter((one) => one.zone === zone.head.name);
  const nodesThere = await nodesOfServices(shell, there);
  const supervisors = await supervisorsOf(shell, zone.head.name, there);
  const put = there.length > 0 ? await putTypesOf(shell, zone.head.name) : undefined;
  const related = await relatedOf(shell, put, there);
  const of = (one: Service) => ({
    state: viewedState(one, nodesThere.get(one.node)).is,
    // A digest of the visible part only: a digest of a short secret is as good as the secret.
    digest: createHash('sha256')
      .update(JSON.stringify(maskedConfiguration(typeIn(put, one.type)?.schema.configuration, runsWith(one))))
      .digest('hex')
      .slice(0, 16),
    supervisor: supervisors.get(serviceId(one)),
    // No edge leads to a service that is not registered.
    related: (related.get(serviceId(one)) ?? []).flatMap(({ name, to, node }) => (node === undefined ? [] : [{ name, to, node }])),
  });
  return { ...page, items: there.map((one) => serviceFragment(one, of(one))) };
};

/**
 * The node of the supervisor that watches each of these services, if that is still registered: no edge begins at a
 * missing service.
 */
async function supervisorsOf(shell: Shell, zone: string, services: readonly Service[]): Promise<ReadonlyMap<string, string>> {
  const watchers = [...(await watchersOf(shell, zone, services))];
  const ids = [...new Set(watchers.map(([, { node }]) => node))];
  const rows = await readRows(
    shell,
    ids.map((node) => serviceRef({ node, type: supervisorType })),
  );
  const there = new Set(ids.filter((_id, n) => stateOf(rows[n], shell.now())));
  return new Map(watchers.flatMap(([id, { node }]) => (there.has(node) ? [[id, node] as const] : [])));
}

/** The rows in a range of the cluster's partition that readers may see, after a position. */
async function statesIn<S extends { readonly load?: string | undefined }>(
  kind: 'node' | 'process' | 'devices',
  { shell, zone, cluster, limit }: Reading,
  after: string | undefined,
): Promise<Page<S>> {
  const pk = clusterPartition(zone.head.name);
  const page = await shell.table.query({ pk, ...clusterRange(kind), limit, ...(after !== undefined && { after }) });
  const states = page.items.flatMap((row) => stateOf<S>(row, shell.now()) ?? []);
  return { ...page, items: states.filter((state) => isLive(state, cluster!)) };
}

const meroNodes: Part = async (reading, after) => {
  const page = await statesIn<MeroNode>('node', reading, after);
  return { ...page, items: page.items.map((meroNode) => meroNodeFragment(meroNode, rootFid)) };
};

const devicesOf: Part = async (reading, after) => {
  const page = await statesIn<ProcessDevices>('devices', reading, after);
  return { ...page, items: page.items.map(devicesFragment) };
};

/** Where hosts are placed, and the pools and profiles, in the load that the cluster has. */
const layoutPages =
  (withDevices: boolean): Part =>
  async ({ shell, zone, cluster, limit }, after) => {
    if (!cluster?.loaded) return { items: [] };
    const query = { pk: clusterPartition(zone.head.name), ...loadRange('layout', cluster.loaded.load), limit };
    const page = await shell.table.query({ ...query, ...(after !== undefined && { after }) });
    return {
      ...page,
      items: trustedRows(layoutRef, page.items)
        .flatMap((row) => stateOf(row, shell.now()) ?? [])
        .map((one) => layoutFragment(one, withDevices)),
    };
  };

/** Processes in the state that callers see, which also depends on their hosts. */
const processes: Part = async (reading, after) => {
  const page = await statesIn<MeroProcess>('process', reading, after);
  const hosts = [...new Set(page.items.map(({ host }) => host))];
  const [meroNodesThere, nodesThere] = await Promise.all([meroNodesOf(reading, hosts), nodesOf(reading, hosts)]);
  const surroundings = (host: string) => ({ node: nodesThere.get(host), cluster: reading.cluster!, meroNode: meroNodesThere.get(host) });
  return { ...page, items: page.items.map((process) => processFragment(process, displayedState(process, surroundings(process.host)).is)) };
};

async function meroNodesOf({ shell, zone }: Reading, hosts: readonly string[]): Promise<ReadonlyMap<string, MeroNode>> {
  const ids = hosts.map((fqdn) => meroNodeId({ zone: zone.head.name, fqdn }));
  const rows = await readRows(
    shell,
    ids.map((id) => meroNodeRef(id)),
  );
  return new Map(rows.flatMap((row) => stateOf(row, shell.now()) ?? []).map((one) => [one.fqdn, one]));
}

/** The nodes of these names that belong to the zone. */
async function nodesOf({ shell, zone }: Reading, hosts: readonly string[]): Promise<ReadonlyMap<string, Node>> {
  const holders = await readRows(
    shell,
    hosts.map((id) => fqdnRef(id)),
  );
  const ids = holders.flatMap((row) => (row ? [row.body.node] : []));
  const rows = await readRows(
    shell,
    ids.map((id) => nodeRef(id)),
  );
  const there = rows.flatMap((row) => stateOf(row, shell.now()) ?? []).filter((node) => node.zone === zone.head.name);
  return new Map(there.map((node) => [node.fqdn, node]));
}

/** Client systems from the index alone: the node of one follows from its fingerprint, its pin and the map. */
const systemsIn =
  (partition: number): Part =>
  async ({ shell, zone, limit }, after) => {
    const { name } = zone.head;
    const page = await shell.table.queryIndex({
      index: 'list',
      pk: clientList.zone(name, partition),
      limit,
      ...(after !== undefined && { after }),
    });
    const items = page.items.map(({ sk }) => {
      const { fp, pin } = listedIn(sk);
      const owner = ownerOf(zone, { fp, pin: pin?.index ?? nobody, soft: pin?.hard === false });
      return systemFragment(name, fp, zone.members[owner]?.node);
    });
    return { ...page, items };
  };
