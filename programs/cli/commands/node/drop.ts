import { InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { contract } from '../../../../lib/contract.ts';
import { HoldingRule, type NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { dryRunnable, previewNode } from '../preview.ts';
import { outcome } from './outcome.ts';

/** `node drop`: gives a node up at once. */
export const drop: Verb = (noun, cli) => {
  const command = dryRunnable(noun.command('drop'))
    .argument('<node>', 'its id or fully qualified name', node)
    .description('Drop a node at once: its client systems move to other nodes, and it must join as a new node. Asks first, unless --yes')
    .option('--overrule <rules>', 'guard-rails to overrule when they hold a silent node, by rule number, such as 7 or 6,8', rules)
    .action(async (id: NodeView['id'], { overrule = [], dryRun }: { overrule?: HoldingRule[]; dryRun?: true }) => {
      if (dryRun) return previewNode(cli, id, (drop) => ({ drop }));
      await cli.confirm(`Drop ${id}? Its client systems move to other nodes, and it must join as a new node.`);
      outcome(cli, (await cli.call(contract.dropNode, { params: { id }, body: { overrule } })).body);
    });
  examples(
    command,
    cli.terminal.name,
    ['node drop node7.acme.org --dry-run', 'where its client systems would go'],
    ['node drop node7.acme.org'],
    ['node drop node7.acme.org --yes', 'in a script'],
    ['node drop node7.acme.org --overrule 7', 'even though most of its zone is silent'],
  );
};

function rules(text: string): HoldingRule[] {
  const read = z.array(HoldingRule).safeParse(text.split(',').map(Number));
  if (!read.success) throw new InvalidArgumentError('It must be one or more of 6, 7, 8 and 16, separated by commas.');
  return read.data;
}
