import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { outcome } from './outcome.ts';

/** `node remove`: gives a node up for good. */
export const remove: Verb = (noun, cli) => {
  const command = noun
    .command('remove')
    .argument('<node>', 'its id or fully qualified name', node)
    .description(
      'Remove a node for good: its client systems move to other nodes, and its key is refused until node admit or a new token. Asks first, unless --yes',
    )
    .action(async (id: NodeView['id']) => {
      await cli.confirm(`Remove ${id}? Its client systems move to other nodes, and it stays out until it is admitted again.`);
      outcome(cli, (await cli.call(contract.removeNode, { params: { id }, body: {} })).body);
    });
  examples(command, cli.terminal.name, ['node remove node7.acme.org'], ['node admit node7.acme.org', 'let it in again']);
};
