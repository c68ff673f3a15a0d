import type { Edge, Fragment, Vertex, VertexKind } from './graph.ts';

/** A graph that can be walked from any vertex along its edges, either way. */
export type Walkable = { readonly vertices: ReadonlyMap<string, Vertex>; readonly touching: ReadonlyMap<string, readonly Edge[]> };

/** Makes a fragment walkable. An edge to what is not in it is left out: nothing can be said of its other end. */
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

/** What is at most so many edges away from a vertex, that one first, with all edges between them. */
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
 * What everything of a cluster has in common: a way through these is short, and says nothing of why one thing needs the
 * other.
 */
const common: ReadonlySet<VertexKind> = new Set(['zone', 'root', 'profile', 'pool']);

/**
 * The edges of a shortest way from one vertex to another, in its order: by hosts, processes and services where one
 * leads there, else by what they have in common. Undefined when there is none, empty from a vertex to itself.
 */
export function pathBetween(graph: Walkable, start: string, end: string): Edge[] | undefined {
  const isTelling = (id: string): boolean => !common.has(graph.vertices.get(id)!.kind);
  return shortest(graph, start, end, isTelling) ?? shortest(graph, start, end, () => true);
}

/** The edges of a shortest way on which every vertex between the two ends may be passed. */
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
 * The vertices that somebody may mean by a text: an id, what stands behind the kind in one, or a label, whole and in
 * any case; else those whose name begins so. A name that a host has means the host: its node, its Mero node and its
 * station have it from there.
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
