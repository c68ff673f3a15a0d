import type { ThingView } from '../../../lib/assembly/find/routes.ts';
import { contract } from '../../../lib/contract.ts';
import type { Verb } from '../cli.ts';
import { examples } from '../help.ts';
import { paintOf } from '../output/paint.ts';
import type { Column } from '../output/table.ts';
import { limited, showList } from '../pages.ts';

type Options = { limit: number; count?: true };

/** `find`: finds nodes, services, processes and waiting hosts by a query. */
export const find: Verb = (program, cli) => {
  const command = limited(program.command('find'))
    .argument('<query...>', 'the query, such as `kind:node status:down`; it says which kinds')
    .description(
      'Find nodes, services, processes and waiting hosts by a query, in all zones that you may see; `system find` finds client systems',
    )
    .option('--count', 'only say how many match')
    .action(async (words: readonly string[], { limit, count }: Options) => {
      const q = words.join(' ');
      if (count) {
        const { body } = await cli.call(contract.findThings, { query: { q, limit: 0 } });
        return cli.show({ total: body.total }, () => `${body.total}\n`);
      }
      await showList<ThingView>(cli, limit, async (at) => (await cli.call(contract.findThings, { query: { q, ...at } })).body, {
        columns: () => columns,
        empty: 'nothing matches',
      });
    });
  examples(
    command,
    cli.terminal.name,
    ["find 'kind:node status:down,suspect'"],
    ["find 'kind:service,process node:node7* -status:online'", 'what does not run on a node'],
    ["find --count 'kind:host'"],
  );
};

const columns: readonly Column<ThingView>[] = [
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status) },
  { title: 'ZONE', of: ({ zone }) => zone ?? '' },
  { title: 'NODE', of: ({ node }) => node ?? '' },
  { title: 'ID', of: ({ id }) => id },
];
