import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { onChosen, onSystems } from './by-query.ts';

/** `system unpin`: lets client systems follow their slots again. */
export const unpin: Verb = (noun, cli) => {
  const command = onSystems(noun.command('unpin'))
    .description('Unpin client systems: they go where the map of their zone says. Safe to repeat')
    .action(async (given: readonly string[], { query }: { query?: string }) => {
      await onChosen(cli, { given, query }, { done: 'unpinned', does: 'Unpin' }, (some) => cli.call(contract.unpinSystems, { body: some }));
    });
  examples(
    command,
    cli.terminal.name,
    ['system unpin 1f2e3d4c'],
    ['system unpin --query pinned:node7.acme.org', 'all that are pinned to a node'],
  );
};
