import * as z from 'zod';
import { RelationName } from '../services/rows/service-type.ts';

/** What a vertex of the resource graph can be. */
export const vertexKinds = [
  ...(['zone', 'host', 'node', 'system'] as const),
  ...(['root', 'profile', 'pool', 'site', 'rack', 'enclosure'] as const),
  ...(['mero-node', 'process', 'service', 'device', 'station'] as const),
  /** What operators have run on nodes: `service` are those of Mero. A resource is held by instances. */
  ...(['instance', 'resource'] as const),
] as const;
export const VertexKind = z.enum(vertexKinds);
export type VertexKind = z.infer<typeof VertexKind>;

/** How two vertices belong together; read from the first to the second. */
export const relations = ['has', 'runs', 'is parent of', 'stands in', 'lives on', 'is', 'shares', 'holds alone', 'watches'] as const;
/** One of these, or what a type of services calls its need of others. */
export const Relation = z.union([z.enum(relations), RelationName]);
export type Relation = z.infer<typeof Relation>;

/**
 * One thing: `id` is its own in the graph of its zone (`process 0x72…:0x2d`), `label` what people call it, `facts` what
 * is said of it.
 */
export const Vertex = z.strictObject({
  id: z.string(),
  kind: VertexKind,
  label: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type Vertex = z.infer<typeof Vertex>;

/** That two things belong together, by their ids. */
export const Edge = z.strictObject({ from: z.string(), relation: Relation, to: z.string() });
export type Edge = z.infer<typeof Edge>;

/** Some vertices, and edges that begin or end there; the other end may be in another fragment of the same graph. */
export const Fragment = z.strictObject({ vertices: z.array(Vertex), edges: z.array(Edge) });
export type Fragment = { readonly vertices: readonly Vertex[]; readonly edges: readonly Edge[] };

/** The id of a vertex: its kind and what it goes by among its kind. */
export const vertexId = (kind: VertexKind, name: string): string => `${kind} ${name}`;

/** Several fragments as one; a vertex or an edge that is in several is there once, the first of them. */
export function joined(fragments: readonly Fragment[]): Fragment {
  const vertices = new Map<string, Vertex>();
  const edges = new Map<string, Edge>();
  for (const fragment of fragments) {
    for (const vertex of fragment.vertices) if (!vertices.has(vertex.id)) vertices.set(vertex.id, vertex);
    for (const edge of fragment.edges) edges.set(`${edge.from}\n${edge.relation}\n${edge.to}`, edge);
  }
  return { vertices: [...vertices.values()], edges: [...edges.values()] };
}

/** Edges that begin or end at what is not there: none in a whole graph. */
export function dangling({ vertices, edges }: Fragment): Edge[] {
  const there = new Set(vertices.map(({ id }) => id));
  return edges.filter(({ from, to }) => !there.has(from) || !there.has(to));
}
