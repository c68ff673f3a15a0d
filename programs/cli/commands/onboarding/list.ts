import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { limited, showList } from '../../pages.ts';
import { pooledColumns } from '../system/rows.ts';

type Options = { limit: number; wide?: true };

/** `onboarding list`: who waits to be accepted. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description(
      'Machines that knocked and wait to be accepted, with the fingerprint their administrator knows, and whether they sign their knocks',
    )
    .option('--wide', 'whole fingerprints, to compare with those the machines show')
    .action(async ({ limit, wide }: Options) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listSystems, { query: { status: 'new', ...at } })).body, {
        columns: (now) => pooledColumns(now, wide === true),
        empty: 'nobody waits',
      });
    });
  examples(command, cli.terminal.name, ['onboarding list --wide'], ['onboarding list --json --limit all | jq length']);
};
