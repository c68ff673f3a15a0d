import type { Cluster, Edge, Graph, Vertex } from '../../ui/storage/tree.ts';

/** A host of a storage cluster for tests: where it stands, and its processes with their services and devices. */
export type AHost = {
  readonly host: string;
  readonly enclosure?: string;
  readonly state?: string;
  readonly processes?: readonly AProcess[];
};
export type AProcess = {
  readonly fid: string;
  readonly type?: string;
  readonly state?: string;
  readonly services?: readonly { readonly fid: string; readonly type: string; readonly devices?: readonly string[] }[];
};

const vertex = (kind: Vertex['kind'], name: string, label = name): Vertex => ({ id: `${kind} ${name}`, kind, label });

/** The graph and the status of a cluster of one site and one rack with these hosts, and one pool of all devices. */
export function aCluster(hosts: readonly AHost[]): { readonly graph: Graph; readonly status: Required<Cluster> } {
  const places = [vertex('zone', 'tier1'), vertex('root', '0x74:0'), vertex('site', '1'), vertex('rack', '1/1'), vertex('pool', 'p1')];
  const vertices: Vertex[] = [...places];
  const edges: Edge[] = [
    { from: 'zone tier1', relation: 'has', to: 'root 0x74:0' },
    { from: 'root 0x74:0', relation: 'is parent of', to: 'site 1' },
    { from: 'root 0x74:0', relation: 'is parent of', to: 'pool p1' },
    { from: 'site 1', relation: 'has', to: 'rack 1/1' },
  ];
  for (const enclosure of new Set(hosts.flatMap((one) => one.enclosure ?? []))) {
    vertices.push(vertex('enclosure', enclosure));
    edges.push({ from: 'rack 1/1', relation: 'has', to: `enclosure ${enclosure}` });
  }
  for (const one of hosts) addHost(one, vertices, edges);
  return { graph: { vertices, edges }, status: { hosts: hosts.map(statusOf) } };
}

function addHost({ host, enclosure, processes = [] }: AHost, vertices: Vertex[], edges: Edge[]): void {
  vertices.push(vertex('host', host), vertex('mero-node', host));
  edges.push({ from: 'zone tier1', relation: 'has', to: `host ${host}` });
  edges.push({ from: 'root 0x74:0', relation: 'is parent of', to: `mero-node ${host}` });
  edges.push({ from: `host ${host}`, relation: 'runs', to: `mero-node ${host}` });
  if (enclosure !== undefined) edges.push({ from: `host ${host}`, relation: 'stands in', to: `enclosure ${enclosure}` });
  for (const { fid, services = [] } of processes) {
    vertices.push(vertex('process', fid, `10.0.0.1@tcp:12345:41:${fid}`));
    edges.push({ from: `mero-node ${host}`, relation: 'is parent of', to: `process ${fid}` });
    for (const { fid: service, type, devices = [] } of services) {
      vertices.push(vertex('service', service, type));
      edges.push({ from: `process ${fid}`, relation: 'is parent of', to: `service ${service}` });
      for (const device of devices) {
        vertices.push(vertex('device', device));
        edges.push({ from: `service ${service}`, relation: 'is parent of', to: `device ${device}` });
        edges.push({ from: 'pool p1', relation: 'has', to: `device ${device}` });
      }
    }
  }
}

function statusOf({ host, state = 'online', processes = [] }: AHost): Required<Cluster>['hosts'][number] {
  const its = processes.map(({ fid, type = 'ioservice', state: is = 'online', services = [] }) => ({
    fid,
    state: is,
    endpoint: `10.0.0.1@tcp:12345:41:${fid}`,
    type,
    services: services.map((service) => ({ fid: service.fid, type: service.type, state: is })),
  }));
  return { fid: `0x6e:${host}`, host, state, processes: its };
}
