import { queryOptions } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import type { Edge, Graph, Vertex } from './tree.ts';

export type Status = Reply<'meroStatus'>;

/** Above so many devices a page leaves them out: nobody looks at more, and they take long to read. */
export const devicesMax = 20_000;
/** How many pages of the graph are read: 60 of 200 rows are a cluster of about 4,000 hosts. */
const pagesMax = 60;

/** A cluster with all its hosts. */
export const clusterOf = (zone: string) =>
  queryOptions({
    queryKey: ['storage', 'status', zone],
    queryFn: async ({ signal }): Promise<Status> => {
      const first = await call('meroStatus', { params: { zone }, signal });
      const hosts = [...(first.hosts ?? [])];
      for (let cursor = first.next; cursor !== undefined; ) {
        const page = await call('meroStatus', { params: { zone }, query: { cursor }, signal });
        hosts.push(...(page.hosts ?? []));
        cursor = page.next;
      }
      return { ...first, hosts };
    },
    refetchInterval: 15_000,
  });

/**
 * The resource graph of a zone. It is asked for anew when the shape of the cluster is another one: states come with
 * {@link clusterOf}, so that a cluster that starts does not send its graph again with each process.
 */
export const graphOf = (zone: string, shape: string, devices: boolean) =>
  queryOptions({
    queryKey: ['structure', zone, shape, devices],
    queryFn: async ({ signal }) => {
      const [vertices, edges]: [Vertex[], Edge[]] = [[], []];
      let cursor: string | undefined;
      for (let pages = 0; pages < pagesMax; pages++) {
        const page = await call('graph', { params: { zone }, query: { devices: devices ? 'true' : 'false', cursor }, signal });
        vertices.push(...page.vertices);
        edges.push(...page.edges);
        cursor = page.next;
        if (cursor === undefined) break;
      }
      return { ...distinct({ vertices, edges }), isWhole: cursor === undefined };
    },
    staleTime: 60_000,
    refetchInterval: 60_000,
  });

/** A graph whose pages were joined: a vertex or an edge that several pages have is there once. */
function distinct({ vertices, edges }: Graph): Graph {
  return {
    vertices: [...new Map(vertices.toReversed().map((vertex) => [vertex.id, vertex])).values()].toReversed(),
    edges: [...new Map(edges.map((edge) => [`${edge.from}\n${edge.relation}\n${edge.to}`, edge])).values()],
  };
}

/** What tells one shape of a cluster from another: the load, and how many hosts, nodes and processes there are. */
export const shapeOf = ({ loaded, hosts = [] }: Status): string =>
  [
    loaded?.load,
    hosts.length,
    hosts.filter(({ node }) => node !== undefined).length,
    hosts.reduce((sum, one) => sum + one.processes.length, 0),
  ].join(' ');

/** A process, by its fid. */
export const processOf = (zone: string, fid: string) =>
  queryOptions({
    queryKey: ['storage', 'process', zone, fid],
    queryFn: ({ signal }) => call('getMeroProcess', { params: { zone, fid }, signal }),
  });

/** The configuration of a process, by its fid. */
export const configurationOf = (zone: string, fid: string) =>
  queryOptions({
    queryKey: ['structure', 'configuration', zone, fid],
    queryFn: ({ signal }) => call('getMeroConfiguration', { params: { zone, fid }, signal }),
  });

/** A host of a cluster with its processes, by its name. */
export const hostOf = (zone: string, node: string) =>
  queryOptions({
    queryKey: ['storage', 'host', zone, node],
    queryFn: ({ signal }) => call('getMeroNode', { params: { zone, node }, signal }),
  });
