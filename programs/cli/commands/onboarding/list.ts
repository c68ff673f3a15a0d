import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { refusedText } from '../../output/refused.ts';
import { limited, showList } from '../../pages.ts';
import { pooledColumns } from '../system/rows.ts';

type Options = { limit: number; wide?: true };

/** `onboarding list`: lists machines that wait to be accepted. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description(
      'List machines that knocked and wait to be accepted, with the fingerprint that each shows, and whether it signs its knocks',
    )
    .option('--wide', 'whole fingerprints, to compare with those that the machines show')
    .action(async ({ limit, wide }: Options) => {
      const { refusedKnocks = 0 } = (await cli.call(contract.status)).body;
      await showList(cli, limit, async (at) => (await cli.call(contract.listSystems, { query: { status: 'new', ...at } })).body, {
        columns: (now) => pooledColumns(now, wide === true),
        empty: 'no machines wait',
      });
      const refused = refusedText(refusedKnocks, cli.terminal);
      if (refused !== undefined) cli.say(refused);
    });
  examples(command, cli.terminal.name, ['onboarding list --wide'], ['onboarding list --json --limit all | jq length']);
};
