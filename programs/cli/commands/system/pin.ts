import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onEach } from './each.ts';
import { onSystems } from './options.ts';

/** `system pin`: pins client systems to one node. */
export const pin: Verb = (noun, cli) => {
  const command = onSystems(noun.command('pin'))
    .description('Pin accepted client systems to a node of their zone: they wait for this node only. Safe to repeat')
    .requiredOption('--node <node>', 'the node', node)
    .option('--soft', 'let them live elsewhere while the node is away, and come back to it')
    .action(async (given: readonly string[], { node: to, soft }: { node: NodeView['id']; soft?: true }) => {
      const systems = await wholeFingerprints(cli, given);
      await onEach(cli, systems, 'pinned', (some) =>
        cli.call(contract.pinSystems, { body: { systems: some, node: to, ...(soft && { soft }) } }),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['system pin 1f2e3d4c --node node7.acme.org'],
    ['system pin 1f2e3d4c 9a8b7c6d --node node7.acme.org --soft', 'only while that node is available'],
  );
};
