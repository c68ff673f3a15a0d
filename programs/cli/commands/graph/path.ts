import type { Vertex } from '../../../../lib/graph/graph.ts';
import { pathBetween } from '../../../../lib/graph/walk.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { type GraphChoice, ofGraph, readNamed } from './reading.ts';

/** `graph path`: how two things are related. */
export const path: Verb = (noun, cli) => {
  const command = ofGraph(noun.command('path'))
    .argument('<from>', 'a thing of the graph, named as for graph show')
    .argument('<to>', 'another thing of the graph')
    .description('Show the shortest path from one thing of the resource graph to another')
    .action(async (from: string, to: string, choice: GraphChoice) => {
      const { graph, named } = await readNamed(cli, choice, [from, to]);
      const [start, end] = named as [Vertex, Vertex];
      const edges = pathBetween(graph, start.id, end.id);
      if (!edges) throw new Failure(exitCodes.failed, `no path leads from ${start.id} to ${end.id}`);
      cli.show({ from: start, to: end, edges }, () =>
        cli.table(edges, [
          { title: 'FROM', of: (edge) => edge.from },
          { title: 'RELATION', of: (edge) => edge.relation },
          { title: 'TO', of: (edge) => edge.to },
        ]),
      );
      if (edges.length === 0) cli.say('both names mean the same thing');
    });
  examples(command, cli.terminal.name, ['graph path "host ssu1.acme.org" "pool 0x6f00000000000001:0x90" --zone tier1 --devices']);
};
