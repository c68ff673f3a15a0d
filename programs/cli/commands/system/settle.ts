import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { onChosen, onSystems } from './by-query.ts';

/** `system settle`: one machine runs with the key again. */
export const settle: Verb = (noun, cli) => {
  const command = onSystems(noun.command('settle'))
    .description(
      'Settle client systems with whose key two machines ran. First see to it that one machine has the key: remove identity.json on the copy. They are held no longer, and the next daemon that knocks is the only one',
    )
    .action(async (given: readonly string[], { query }: { query?: string }) => {
      await onChosen(cli, { given, query }, { done: 'settled', does: 'Settle' }, (some) =>
        cli.call(contract.settleSystems, { body: some }),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['system settle 1f2e3d4c', 'by the beginning of its fingerprint'],
    ["system settle --query 'copied:yes'"],
  );
};
