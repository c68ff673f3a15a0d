import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { onChosen, onSystems } from './by-query.ts';

type Options = { node: NodeView['id']; soft?: true; query?: string };

/** `system pin`: pins client systems to one node. */
export const pin: Verb = (noun, cli) => {
  const command = onSystems(noun.command('pin'))
    .description('Pin accepted client systems to a node of their zone: they wait for this node only. Safe to repeat')
    .requiredOption('--node <node>', 'the node', node)
    .option('--soft', 'let them live elsewhere while the node is away, and come back to it')
    .action(async (given: readonly string[], { node: to, soft, query }: Options) => {
      await onChosen(cli, { given, query }, { done: 'pinned', does: `Pin to ${to}` }, (some) =>
        cli.call(contract.pinSystems, { body: { ...some, node: to, ...(soft && { soft }) } }),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['system pin 1f2e3d4c --node node7.acme.org'],
    ['system pin 1f2e3d4c 9a8b7c6d --node node7.acme.org --soft', 'only while that node is available'],
    ["system pin --query 'tag:db and web*' --node node7.acme.org"],
  );
};
