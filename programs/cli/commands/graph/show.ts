import type { Edge, Vertex } from '../../../../lib/graph/graph.ts';
import { around, type Walkable } from '../../../../lib/graph/walk.ts';
import { count } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { type GraphChoice, ofGraph, readNamed } from './reading.ts';

/** `graph show`: one thing, and what belongs to it or what it belongs to. */
export const show: Verb = (noun, cli) => {
  const command = ofGraph(noun.command('show'))
    .argument('<vertex>', 'its id in the graph, a fid, a name, a node id or a fingerprint; a unique beginning is enough')
    .option('--depth <n>', 'number of edges to follow', count, 1)
    .description('Show a thing of the resource graph with its facts and its relations')
    .action(async (text: string, { depth, ...choice }: GraphChoice & { readonly depth: number }) => {
      const { graph, named } = await readNamed(cli, choice, [text]);
      const [vertex] = named as [Vertex];
      const near = around(graph, vertex.id, depth);
      cli.show(near, () => page(vertex, graph, near.edges, cli));
    });
  examples(
    command,
    cli.terminal.name,
    ['graph show 0x7200000000000001:0x2d --zone tier1'],
    ['graph show "host ssu1.acme.org" --zone tier1 --depth 2'],
  );
};

function page(vertex: Vertex, { vertices }: Walkable, edges: readonly Edge[], cli: Cli): string {
  const facts = Object.fromEntries(Object.entries(vertex.facts ?? {}).map(([name, value]) => [name, String(value)]));
  const vertexText = (id: string): string =>
    vertices.get(id)!.label === id.slice(id.indexOf(' ') + 1) ? id : `${id} (${vertices.get(id)!.label})`;
  const title = `${vertexText(vertex.id)}\n${Object.keys(facts).length > 0 ? cli.details(facts) : ''}`;
  return (
    title +
    cli.table(edges, [
      { title: 'FROM', of: ({ from }) => vertexText(from) },
      { title: 'RELATION', of: ({ relation }) => relation },
      { title: 'TO', of: ({ to }) => vertexText(to) },
    ])
  );
}
