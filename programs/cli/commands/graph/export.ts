import { Option } from 'commander';
import { dotOf } from '../../../../lib/graph/dot.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { json } from '../../output/json.ts';
import { type GraphChoice, ofGraph, readGraph } from './reading.ts';

/** `graph export`: all of a zone's graph, for other programs. */
export const exportGraph: Verb = (noun, cli) => {
  const command = ofGraph(noun.command('export'))
    .addOption(new Option('--format <format>', 'dot, for Graphviz, or json').choices(['dot', 'json']).default('json'))
    .description('Print the whole resource graph of a zone')
    .action(async ({ format, ...choice }: GraphChoice & { readonly format: 'dot' | 'json' }) => {
      const graph = await readGraph(cli, choice);
      cli.terminal.out(format === 'dot' ? dotOf(graph) : json(graph));
    });
  examples(
    command,
    cli.terminal.name,
    ['graph export --zone tier1 --format dot | dot -Tsvg > tier1.svg'],
    ['graph export --zone emea --systems'],
  );
};
