import { Option } from 'commander';
import type { SystemView } from '../../../../lib/clients/admin-routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { limited, showList } from '../../pages.ts';
import { systemColumns } from './rows.ts';

type Options = { limit: number; sort: 'name' | 'seen' | 'registered' | 'fp'; down?: true; count?: true; wide?: true };

/** `system find`: finds client systems by a query. */
export const find: Verb = (noun, cli) => {
  const command = limited(noun.command('find'))
    .argument('[query...]', 'the query, such as `tag:db and web*`; everything if left out')
    .description('Find client systems by a query, in all zones that you may see')
    .addOption(new Option('--sort <order>', 'the order').choices(['name', 'seen', 'registered', 'fp']).default('name'))
    .option('--down', 'the last first')
    .option('--count', 'only say how many match')
    .option('--wide', 'whole fingerprints')
    .action(async (words: readonly string[], { limit, sort, down, count, wide }: Options) => {
      const query = { q: words.join(' '), sort, ...(down && { down: 'yes' as const }) };
      if (count) {
        const { body } = await cli.call(contract.findSystems, { query: { ...query, limit: 0 } });
        return cli.show({ total: body.total }, () => `${body.total}\n`);
      }
      await showList<SystemView>(cli, limit, async (at) => (await cli.call(contract.findSystems, { query: { ...query, ...at } })).body, {
        columns: (now) => systemColumns(now, wide === true),
        empty: 'no client system matches',
      });
    });
  examples(
    command,
    cli.terminal.name,
    ["system find 'tag:db and web*'"],
    ["system find 'silent:>7d' --sort seen", 'those that have been silent for more than a week'],
    ["system find --count 'status:onboarded node:node7*'"],
    ["system find 'status:orphan' --watch", 'refreshed every 2 seconds'],
  );
};
