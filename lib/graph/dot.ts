import type { Fragment, VertexKind } from './graph.ts';

/** The shape of each kind: boxes for places, ellipses for programs, cylinders for things that hold data. */
const shapes: Readonly<Record<VertexKind, string>> = {
  zone: 'folder',
  host: 'box3d',
  node: 'box',
  system: 'note',
  root: 'folder',
  profile: 'tab',
  pool: 'cylinder',
  site: 'house',
  rack: 'box',
  enclosure: 'box',
  'mero-node': 'box',
  process: 'ellipse',
  service: 'ellipse',
  device: 'cylinder',
  station: 'doubleoctagon',
  instance: 'ellipse',
  resource: 'cylinder',
};

/** A text in quotes, as dot reads it. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/** A graph in the language of Graphviz, for `dot -Tsvg`: one line for each vertex and edge, in their order. */
export function dotOf({ vertices, edges }: Fragment): string {
  const lines = [
    'digraph muster {',
    '  rankdir=LR;',
    ...vertices.map(({ id, kind, label }) => `  ${quoted(id)} [label=${quoted(`${kind}\n${label}`)} shape=${shapes[kind]}];`),
    ...edges.map(({ from, relation, to }) => `  ${quoted(from)} -> ${quoted(to)} [label=${quoted(relation)}];`),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
