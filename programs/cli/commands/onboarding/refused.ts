import type { RefusedKnocksView } from '../../../../lib/clients/refusals/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago } from '../../output/moments.ts';
import type { Column } from '../../output/table.ts';

/** `onboarding refused`: lists knocks that were refused lately, by reason, address and token. */
export const refused: Verb = (noun, cli) => {
  const command = noun
    .command('refused')
    .description('List knocks that were refused within the last hour, by reason, network address and onboarding token')
    .action(async () => {
      const { items } = (await cli.call(contract.listRefusedKnocks)).body;
      cli.show(items, () => cli.table(items, columns(cli.terminal.now())));
      if (items.length === 0) cli.say('no knock was refused within the last hour');
    });
  examples(command, cli.terminal.name, ['onboarding refused'], ["onboarding refused --json | jq 'map(.count) | add'"]);
};

const columns = (now: number): Column<RefusedKnocksView>[] => [
  { title: 'REASON', of: ({ reason, because }) => (because === undefined ? reason : `${reason}: ${because}`) },
  { title: 'FROM', of: ({ source }) => source },
  { title: 'TOKEN', of: ({ token }) => token ?? '' },
  { title: 'ZONE', of: ({ zone }) => zone ?? '' },
  { title: 'KNOCKS', align: 'right', of: ({ count }) => String(count) },
  { title: 'FIRST', align: 'right', of: ({ firstAt }) => ago(firstAt, now) },
  { title: 'LAST', align: 'right', of: ({ lastAt }) => ago(lastAt, now) },
];
