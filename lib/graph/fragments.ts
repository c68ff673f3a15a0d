import type { MeroNode } from '../mero/nodes/mero-node.ts';
import type { MeroProcess, ProcessDevices } from '../mero/processes/process.ts';
import type { Host } from '../nodes/hosts/host.ts';
import type { Node } from '../nodes/node.ts';
import type { RelationName } from '../services/rows/service-type.ts';
import { instanceOf, type Service, supervisorType } from '../services/service.ts';
import type { Stations } from '../stations/stations.ts';
import type { ZoneHead } from '../zones/zone.ts';
import { type Edge, type Fragment, type Relation, type Vertex, type VertexKind, vertexId } from './graph.ts';

/*
 * The parts of the resource graph that each row adds. An edge is made with the row of its lower end, and only to things
 * that this row requires: so the graph is complete whenever the rows are, and no edge is stored anywhere.
 */

type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A vertex, with its known facts. */
export const vertex = (kind: VertexKind, name: string, label: string, facts: Facts = {}): Vertex => {
  const known = Object.entries(facts).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined);
  return { id: vertexId(kind, name), kind, label, ...(known.length > 0 && { facts: Object.fromEntries(known) }) };
};
/** An edge between two vertices that belong together. */
export const edge = (from: string, relation: Relation, to: string): Edge => ({ from, relation, to });

/** The zone itself, and the root of its storage cluster where it has one. */
export function zoneFragment({ name, kind, mode }: Pick<ZoneHead, 'name' | 'kind' | 'mode'>, root?: string): Fragment {
  const zone = vertex('zone', name, name, { kind, mode });
  if (root === undefined) return { vertices: [zone], edges: [] };
  const top = vertex('root', root, root);
  return { vertices: [zone, top], edges: [edge(zone.id, 'has', top.id)] };
}

/** A host of the zone. */
const host = (zone: string, fqdn: string, facts: Facts = {}): Fragment => {
  const one = vertex('host', fqdn, fqdn, facts);
  return { vertices: [one], edges: [edge(vertexId('zone', zone), 'has', one.id)] };
};

/** The stations of a zone, each with its host, which may not have called in yet, and which of them acts on site. */
export function stationsFragment({ zone, hosts, coordinator }: Pick<Stations, 'zone' | 'hosts' | 'coordinator'>): Fragment {
  const each = hosts.map((fqdn): Fragment => {
    const on = host(zone, fqdn);
    const one = vertex('station', fqdn, fqdn, { ...(coordinator?.host === fqdn && { coordinator: true, epoch: coordinator.epoch }) });
    return { vertices: [...on.vertices, one], edges: [...on.edges, edge(vertexId('host', fqdn), 'is', one.id)] };
  });
  return { vertices: each.flatMap(({ vertices }) => vertices), edges: each.flatMap(({ edges }) => edges) };
}

/** A node with the host it runs on. */
export function nodeFragment(node: Node, facts?: Host): Fragment {
  const { id, fqdn, zone, kind, status, incarnation, generation } = node;
  const on = host(zone, fqdn, facts && { address: facts.address, cpus: facts.cpus, memoryMib: facts.memoryMib });
  const one = vertex('node', id, fqdn, { kind, status, incarnation, generation });
  return { vertices: [...on.vertices, one], edges: [...on.edges, edge(vertexId('host', fqdn), 'runs', one.id)] };
}

/** A Mero node with its host, which may not have called in yet. */
export function meroNodeFragment({ zone, fqdn, fid, lnid, stopped }: MeroNode, root: string): Fragment {
  const on = host(zone, fqdn);
  const one = vertex('mero-node', fqdn, fid, { lnid, stopped });
  return {
    vertices: [...on.vertices, one],
    edges: [...on.edges, edge(vertexId('root', root), 'is parent of', one.id), edge(vertexId('host', fqdn), 'runs', one.id)],
  };
}

/** A process and its services, under its Mero node. `state` is its displayed state. */
export function processFragment(process: MeroProcess, state: string): Fragment {
  const { fid, host: fqdn, type, endpoint, services, running } = process;
  const one = vertex('process', fid, endpoint, { type: typeName(type), state, pid: running?.pid });
  return {
    vertices: [one, ...services.map((service) => vertex('service', service.fid, service.type))],
    edges: [
      edge(vertexId('mero-node', fqdn), 'is parent of', one.id),
      ...services.map((service) => edge(one.id, 'is parent of', vertexId('service', service.fid))),
    ],
  };
}

const typeName = (type: MeroProcess['type']): string => (type.tag === 'PLClovis' ? type.contents[0] : type.tag);

/** The devices of a process's services. They go by their WWNs, as pools name them. */
export const devicesFragment = ({ services }: ProcessDevices): Fragment => ({
  vertices: services.flatMap(({ devices }) =>
    devices.map(({ fid, wwn, serial, path, size }) => vertex('device', wwn, fid, { serial, path, size })),
  ),
  edges: services.flatMap(({ service, devices }) =>
    devices.map(({ wwn }) => edge(vertexId('service', service), 'is parent of', vertexId('device', wwn))),
  ),
});

/** A client system of the zone, and the node that manages it: none while its slot has no owner. */
export function systemFragment(zone: string, fp: string, node: string | undefined): Fragment {
  const one = vertex('system', fp, fp.slice(0, 16));
  return {
    vertices: [one],
    edges: [edge(vertexId('zone', zone), 'has', one.id), ...(node === undefined ? [] : [edge(one.id, 'lives on', vertexId('node', node))])],
  };
}

/**
 * The facts of a service besides its row: its displayed state, a digest of its configuration, the node of the
 * supervisor that watches it, and the registered services that it names by the relations of its type.
 */
export type OfService = {
  readonly state: string;
  readonly digest: string;
  readonly supervisor?: string | undefined;
  readonly related?: readonly RelatedTo[];
};
/** A service that another one needs, under the name that the other's type has for that relation. */
export type RelatedTo = { readonly name: RelationName; readonly to: string; readonly node: string };

/**
 * A service on its node, with the resources that it holds, the supervisor that watches it and the services that it
 * needs.
 */
export function serviceFragment(service: Service, { state, digest, supervisor, related = [] }: OfService): Fragment {
  const { type, name, node, running, address, version, resources, drift } = service;
  const known = {
    name,
    state,
    instance: instanceOf(service),
    configuration: digest,
    pid: running?.pid,
    address,
    version,
    ...(drift && { drifted: true }),
  };
  const one = vertex('instance', `${type}@${node}`, type, known);
  const held = resources.map(({ kind, id, hold }) => ({ hold, of: vertex('resource', `${kind}:${id}`, id, { kind }) }));
  return {
    vertices: [one, ...held.map(({ of }) => of)],
    edges: [
      edge(vertexId('node', node), 'runs', one.id),
      ...(supervisor === undefined ? [] : [edge(vertexId('instance', `${supervisorType}@${supervisor}`), 'watches', one.id)]),
      ...held.map(({ hold, of }) => edge(one.id, hold === 'exclusive' ? 'holds alone' : 'shares', of.id)),
      ...related.map(({ name, to, node: on }) => edge(one.id, name, vertexId('instance', `${to}@${on}`))),
    ],
  };
}
