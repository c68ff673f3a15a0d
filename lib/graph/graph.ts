import * as z from 'zod';
import { RelationName } from '../services/rows/service-type.ts';

/** The kinds of vertices of the resource graph. */
export const vertexKinds = [
  ...(['zone', 'host', 'node', 'system'] as const),
  ...(['root', 'profile', 'pool', 'site', 'rack', 'enclosure'] as const),
  ...(['mero-node', 'process', 'service', 'device', 'station'] as const),
  /**
   * Services that operators run on nodes, whereas `service` is one of Mero's; and the resources that these instances
   * hold.
   */
  ...(['instance', 'resource'] as const),
] as const;
export const VertexKind = z.enum(vertexKinds);
export type VertexKind = z.infer<typeof VertexKind>;

/** How two vertices belong together; read from the first to the second. */
export const relations = ['has', 'runs', 'is parent of', 'stands in', 'lives on', 'is', 'shares', 'holds alone', 'watches'] as const;
/** One of these, or the name by which a type of services needs others. */
export const Relation = z.union([z.enum(relations), RelationName]);
export type Relation = z.infer<typeof Relation>;

/**
 * One thing: `id` is unique in the graph of its zone (`process 0x72…:0x2d`), `label` is its name for people, `facts`
 * are its properties.
 */
export const Vertex = z.strictObject({
  id: z.string(),
  kind: VertexKind,
  label: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type Vertex = z.infer<typeof Vertex>;

/** A relation between two things, by their ids. */
export const Edge = z.strictObject({ from: z.string(), relation: Relation, to: z.string() });
export type Edge = z.infer<typeof Edge>;

/** Some vertices, and edges that begin or end there; the other end may be in another fragment of the same graph. */
export const Fragment = z.strictObject({ vertices: z.array(Vertex), edges: z.array(Edge) });
export type Fragment = { readonly vertices: readonly Vertex[]; readonly edges: readonly Edge[] };

/** The id of a vertex: its kind, and its name among its kind. */
export const vertexId = (kind: VertexKind, name: string): string => `${kind} ${name}`;

/** Several fragments as one; a vertex or an edge that is in several appears once, the first of them. */
export function joined(fragments: readonly Fragment[]): Fragment {
  const vertices = new Map<string, Vertex>();
  const edges = new Map<string, Edge>();
  for (const fragment of fragments) {
    for (const vertex of fragment.vertices) if (!vertices.has(vertex.id)) vertices.set(vertex.id, vertex);
    for (const edge of fragment.edges) edges.set(`${edge.from}\n${edge.relation}\n${edge.to}`, edge);
  }
  return { vertices: [...vertices.values()], edges: [...edges.values()] };
}

/** Edges that begin or end at a missing vertex: none in a complete graph. */
export function dangling({ vertices, edges }: Fragment): Edge[] {
  const there = new Set(vertices.map(({ id }) => id));
  return edges.filter(({ from, to }) => !there.has(from) || !there.has(to));
}
