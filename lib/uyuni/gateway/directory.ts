import type { ZoneName } from '../../core/ids.ts';

/**
 * A server of the cluster. `url`: where its interface is, such as `https://node1.acme.org`; `serverId`: its number for
 * scripts of the hub, if it was given one.
 */
export type GatewayNode = {
  readonly name: string;
  readonly url: string;
  readonly isUp: boolean;
  readonly isInSync: boolean;
  readonly serverId?: number;
  /** Its zone, where Muster gives it: content is common to the servers of one zone. */
  readonly zone?: ZoneName;
};

/** Where a system lives: its node, and its number there. */
export type Home = { readonly node: string; readonly localId: number };

/** What the gateway knows about the cluster: its nodes, sorted by name, and which numbers its systems have there. */
export type Directory = {
  nodes(): readonly GatewayNode[];
  /** Where the system of a cluster id lives; undefined for none that is known. */
  homeOf(clusterId: number): Home | undefined;
  /** The cluster id of the system that has this number on a node; undefined for one that does not live there. */
  clusterIdOf(node: string, localId: number): number | undefined;
};

/** A system in the cluster: its number there, its node, and its number on that node. */
export type SystemPlace = readonly [clusterId: number, node: string, localId: number];

/** A directory of these nodes and systems, at one moment. Throws an error where one id is given twice. */
export function directoryOf(nodes: readonly GatewayNode[], systems: Iterable<SystemPlace>): Directory {
  const sorted = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const homes = new Map<number, Home>();
  const onNodes = new Map(nodes.map(({ name }) => [name, new Map<number, number>()]));
  for (const [clusterId, node, localId] of systems) {
    const on = onNodes.get(node);
    if (!on) throw new Error(`system ${clusterId} lives on ${node}, which is no node`);
    if (homes.has(clusterId)) throw new Error(`two systems have the cluster id ${clusterId}`);
    if (on.has(localId)) throw new Error(`two systems of ${node} have the number ${localId}`);
    homes.set(clusterId, { node, localId });
    on.set(localId, clusterId);
  }
  return {
    nodes: () => sorted,
    homeOf: (clusterId) => homes.get(clusterId),
    clusterIdOf: (node, localId) => onNodes.get(node)?.get(localId),
  };
}
