import { contract } from '../../../lib/api/contract.ts';
import type { NodeView } from '../../../lib/api/views.ts';
import { node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { outcome } from './outcome.ts';

/** `node drop`: give a node up at once. */
export const drop: Verb = (noun, cli) => {
  const command = noun
    .command('drop')
    .argument('<node>', 'its id or fully qualified name', node)
    .description('Give a node up at once: its client systems go to other nodes, and it must join as new. Asks first, unless --yes')
    .action(async (id: NodeView['id']) => {
      await cli.confirm(`Drop ${id}? Its client systems go to other nodes, and it must join as new.`);
      outcome(cli, (await cli.call(contract.dropNode, { params: { id }, body: {} })).body);
    });
  examples(command, cli.terminal.name, ['node drop node7.acme.org'], ['node drop node7.acme.org --yes', 'in a script']);
};
