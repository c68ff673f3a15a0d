import type { Edge, Fragment, Vertex, VertexKind } from './graph.ts';

/** A graph that can be walked from any vertex along its edges, either way. */
export type Walkable = { readonly vertices: ReadonlyMap<string, Vertex>; readonly touching: ReadonlyMap<string, readonly Edge[]> };

/** Makes a fragment walkable. An edge to a vertex outside the fragment is left out: its other end is unknown. */
export function walkable({ vertices, edges }: Fragment): Walkable {
  const there = new Map(vertices.map((vertex) => [vertex.id, vertex]));
  const touching = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (!there.has(edge.from) || !there.has(edge.to)) continue;
    for (const end of new Set([edge.from, edge.to])) {
      const known = touching.get(end);
      if (known) known.push(edge);
      else touching.set(end, [edge]);
    }
  }
  return { vertices: there, touching };
}

const otherEnd = ({ from, to }: Edge, end: string): string => (from === end ? to : from);

/** The vertices at most `depth` edges away from a vertex, that one first, with all edges between them. */
export function around(graph: Walkable, start: string, depth: number): Fragment {
  const seen = new Set([start]);
  let edge: readonly string[] = [start];
  for (let step = 0; step < depth; step++) {
    const next = edge.flatMap((end) => (graph.touching.get(end) ?? []).map((one) => otherEnd(one, end))).filter((id) => !seen.has(id));
    for (const id of next) seen.add(id);
    edge = [...new Set(next)];
  }
  const edges = new Set([...seen].flatMap((id) => (graph.touching.get(id) ?? []).filter(({ from, to }) => seen.has(from) && seen.has(to))));
  return { vertices: [...seen].map((id) => graph.vertices.get(id)!), edges: [...edges] };
}

/**
 * Kinds that everything in a cluster has in common: a path through these is short, but does not explain why one thing
 * needs the other.
 */
const common: ReadonlySet<VertexKind> = new Set(['zone', 'root', 'profile', 'pool']);

/**
 * The edges of a shortest path from one vertex to another, in order: through hosts, processes and services if there is
 * one, else through the kinds that everything has in common. Undefined when there is none, empty from a vertex to
 * itself.
 */
export function pathBetween(graph: Walkable, start: string, end: string): Edge[] | undefined {
  const isTelling = (id: string): boolean => !common.has(graph.vertices.get(id)!.kind);
  return shortest(graph, start, end, isTelling) ?? shortest(graph, start, end, () => true);
}

/** The edges of a shortest path on which `isPassed` accepts every vertex between the two ends. */
function shortest(graph: Walkable, start: string, end: string, isPassed: (id: string) => boolean): Edge[] | undefined {
  const cameBy = new Map<string, Edge | undefined>([[start, undefined]]);
  const queue = [start];
  for (const at of queue) {
    if (at === end) break;
    if (at !== start && !isPassed(at)) continue;
    for (const edge of graph.touching.get(at) ?? []) {
      const next = otherEnd(edge, at);
      if (cameBy.has(next)) continue;
      cameBy.set(next, edge);
      queue.push(next);
    }
  }
  if (!cameBy.has(end)) return undefined;
  const path: Edge[] = [];
  for (let at = end, edge = cameBy.get(end); edge; edge = cameBy.get(at)) {
    path.unshift(edge);
    at = otherEnd(edge, at);
  }
  return path;
}

/**
 * The vertices that a text may mean: by an id, by the part of an id behind its kind, or by a label, whole and in any
 * case; else by the beginning of a name. The name of a host means the host: its node, its Mero node and its station
 * take their names from it.
 */
export function meant(graph: Walkable, text: string): Vertex[] {
  const wanted = text.toLowerCase();
  const names = ({ id, label }: Vertex): string[] => [id, id.slice(id.indexOf(' ') + 1), label].map((name) => name.toLowerCase());
  const all = [...graph.vertices.values()];
  const exact = all.filter((vertex) => names(vertex).includes(wanted));
  const hosts = exact.filter(({ kind }) => kind === 'host');
  if (hosts.length === 1) return hosts;
  return exact.length > 0 ? exact : all.filter((vertex) => names(vertex).some((name) => name.startsWith(wanted)));
}
