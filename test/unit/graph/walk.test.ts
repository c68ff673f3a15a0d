import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dotOf } from '../../../lib/graph/dot.ts';
import { dangling, type Edge, type Fragment, joined, relations, type Vertex, vertexId, vertexKinds } from '../../../lib/graph/graph.ts';
import { around, meant, pathBetween, walkable } from '../../../lib/graph/walk.ts';

const vertex = (n: number): Vertex => ({ id: vertexId('process', `0x72:${n}`), kind: 'process', label: `p${n}` });
const edge = (from: number, to: number): Edge => ({ from: vertex(from).id, relation: 'runs', to: vertex(to).id });
const graphs = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.record({
    vertices: fc.constant(Array.from({ length: size }, (_, n) => vertex(n))),
    edges: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 }).map((all) => all.map(([from, to]) => edge(from, to))),
  }),
);

/** How far apart any two are, found the slow way. */
function distances({ vertices, edges }: Fragment): Map<string, number> {
  const far = new Map<string, number>();
  for (const { id: a } of vertices) for (const { id: b } of vertices) far.set(`${a}|${b}`, a === b ? 0 : Number.POSITIVE_INFINITY);
  for (const { from, to } of edges)
    if (from !== to) {
      far.set(`${from}|${to}`, 1);
      far.set(`${to}|${from}`, 1);
    }
  for (const { id: k } of vertices)
    for (const { id: i } of vertices)
      for (const { id: j } of vertices)
        far.set(`${i}|${j}`, Math.min(far.get(`${i}|${j}`)!, far.get(`${i}|${k}`)! + far.get(`${k}|${j}`)!));
  return far;
}

/** Where somebody arrives who follows these edges; each must begin or end where he is. */
function walked(start: string, path: readonly Edge[]): string {
  let at = start;
  for (const { from, to } of path) {
    expect([from, to]).toContain(at);
    at = from === at ? to : from;
  }
  return at;
}

describe('walks', () => {
  test('a path is as short as any, and each of its edges begins where the one before ended', () => {
    fc.assert(
      fc.property(graphs, (fragment) => {
        const graph = walkable(fragment);
        const far = distances(fragment);
        for (const { id: start } of fragment.vertices)
          for (const { id: end } of fragment.vertices) {
            const path = pathBetween(graph, start, end);
            expect(path?.length ?? Number.POSITIVE_INFINITY).toBe(far.get(`${start}|${end}`));
            if (path) expect(walked(start, path)).toBe(end);
          }
      }),
      { numRuns: 50 },
    );
  });

  test('a path goes by processes and services where it can, and by what all have in common where nothing else leads there', () => {
    const ids = ['host h', 'mero-node h', 'process p', 'service s', 'device d', 'root r', 'pool o', 'profile f'];
    const vertices = ids.map((id): Vertex => ({ id, kind: id.slice(0, id.indexOf(' ')) as Vertex['kind'], label: id }));
    const edges = [
      ...[
        ['host h', 'mero-node h'],
        ['mero-node h', 'process p'],
        ['process p', 'service s'],
        ['service s', 'device d'],
      ],
      ...[
        ['root r', 'mero-node h'],
        ['root r', 'pool o'],
        ['pool o', 'device d'],
        ['root r', 'device d'],
        ['profile f', 'pool o'],
      ],
    ].map(([from, to]): Edge => ({ from: from!, relation: 'is parent of', to: to! }));
    const graph = walkable({ vertices, edges });
    const way = (from: string, to: string) => pathBetween(graph, from, to)!.map((one) => `${one.from} > ${one.to}`);
    expect(way('host h', 'device d')).toEqual([
      'host h > mero-node h',
      'mero-node h > process p',
      'process p > service s',
      'service s > device d',
    ]);
    expect(way('pool o', 'host h').slice(0, 2)).toEqual(['pool o > device d', 'service s > device d']);
    expect(way('profile f', 'mero-node h')).toEqual(['profile f > pool o', 'root r > pool o', 'root r > mero-node h']);
  });

  test('what is around a vertex is what is near enough, with all edges among it', () => {
    fc.assert(
      fc.property(graphs, fc.nat(4), (fragment, depth) => {
        const far = distances(fragment);
        const start = fragment.vertices[0]!.id;
        const near = around(walkable(fragment), start, depth);
        const wanted = fragment.vertices.filter(({ id }) => far.get(`${start}|${id}`)! <= depth).map(({ id }) => id);
        expect(near.vertices.map(({ id }) => id).sort()).toEqual(wanted.sort());
        expect(dangling(near)).toEqual([]);
        expect(near.edges).toHaveLength(
          new Set(fragment.edges.filter(({ from, to }) => wanted.includes(from) && wanted.includes(to))).size,
        );
      }),
      { numRuns: 50 },
    );
  });

  test('an edge to what is not there leads nowhere, and is named', () => {
    const fragment = { vertices: [vertex(1)], edges: [edge(1, 2)] };
    expect(dangling(fragment)).toEqual([edge(1, 2)]);
    expect(around(walkable(fragment), vertex(1).id, 3)).toEqual({ vertices: [vertex(1)], edges: [] });
  });

  test('fragments are joined without repeating anything', () => {
    const one = { vertices: [vertex(1), vertex(2)], edges: [edge(1, 2)] };
    expect(joined([one, one, { vertices: [vertex(3)], edges: [edge(1, 2), edge(2, 3)] }])).toEqual({
      vertices: [vertex(1), vertex(2), vertex(3)],
      edges: [edge(1, 2), edge(2, 3)],
    });
  });

  test('a vertex is meant by its name, its label or how they begin', () => {
    const graph = walkable({ vertices: [vertex(1), vertex(12)], edges: [] });
    expect(meant(graph, '0x72:1')).toEqual([vertex(1)]);
    expect(meant(graph, 'P12')).toEqual([vertex(12)]);
    expect(meant(graph, 'p')).toEqual([vertex(1), vertex(12)]);
    expect(meant(graph, 'q')).toEqual([]);
  });
});

test('in dot, every vertex and edge has a line, and no name can leave its quotes', () => {
  const odd: Vertex = { id: 'host a"b\\', kind: 'host', label: 'x"]; evil [\n' };
  const text = dotOf({ vertices: [odd], edges: [{ from: odd.id, relation: 'has', to: odd.id }] });
  expect(text).toBe(
    'digraph muster {\n  rankdir=LR;\n  "host a\\"b\\\\" [label="host\\nx\\"]; evil [\\n" shape=box3d];\n  "host a\\"b\\\\" -> "host a\\"b\\\\" [label="has"];\n}\n',
  );
  for (const kind of vertexKinds) expect(dotOf({ vertices: [{ id: 'x', kind, label: 'x' }], edges: [] })).toMatch(/shape=\w+\];/);
  expect(new Set(relations).size).toBe(relations.length);
});
