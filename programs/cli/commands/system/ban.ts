import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { onChosen, onSystems } from './by-query.ts';

/** `system ban`: bans keys forever. */
export const ban: Verb = (noun, cli) => {
  const command = onSystems(noun.command('ban'))
    .description('Ban client systems by their fingerprints or by a query, forever. Asks first, unless --yes')
    .action(async (given: readonly string[], { query }: { query?: string }) => {
      await onChosen(
        cli,
        { given, query },
        { done: 'banned', does: 'Ban forever' },
        (some) => cli.call(contract.ban, { body: some }),
        (systems) => cli.confirm(`Ban ${systems.length === 1 ? `the key ${systems[0]}` : `${systems.length} keys`} forever?`),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['system ban 1f2e3d4c', 'by the beginning of its fingerprint'],
    ['system ban 1F:2E:3D:… --yes', 'by its whole fingerprint, in a script'],
    ["system ban --query 'status:orphan seen:>90d'"],
  );
};
