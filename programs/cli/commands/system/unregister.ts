import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { onChosen, onSystems } from './by-query.ts';

/** `system unregister`: takes client systems off their nodes. */
export const unregister: Verb = (noun, cli) => {
  const command = onSystems(noun.command('unregister'))
    .description('Take client systems off their nodes. Their keys stay accepted, and Muster finds a node for them again')
    .action(async (given: readonly string[], { query }: { query?: string }) => {
      await onChosen(cli, { given, query }, { done: 'unregistered', does: 'Unregister' }, (some) =>
        cli.call(contract.unregister, { body: some }),
      );
    });
  examples(command, cli.terminal.name, ['system unregister 1f2e3d4c'], ["system unregister --query 'tag:old status:onboarded'"]);
};
