import { contract } from '../../../../../lib/contract.ts';
import type { VarView } from '../../../../../lib/mero/clusters/vars-routes.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';

/** `mero vars get`: the variables of a storage cluster. */
export const get: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('get'))
    .description('List the variables of a storage cluster, with the effect of each')
    .action(async (choice: ZoneChoice) => {
      const zone = await storageZone(cli, choice);
      const { body } = await cli.call(contract.getMeroVars, { params: { zone } });
      showVars(cli, body.items);
    });
  examples(command, cli.terminal.name, ['mero vars get'], ['mero vars get --json']);
};

/** Shows variables, those first that set something. */
export const showVars = (cli: Cli, items: readonly VarView[]): void =>
  cli.show(items, () =>
    cli.table(
      [...items].sort((a, b) => Number(a.effect === 'none') - Number(b.effect === 'none')),
      [
        { title: 'NAME', of: ({ name }) => name },
        { title: 'VALUE', align: 'right', of: ({ value, unit }) => `${value}${unit === 's' || unit === 'ms' ? ` ${unit}` : ''}` },
        { title: 'USUAL', align: 'right', of: ({ usual }) => `${usual}` },
        { title: 'DOES', of: ({ effect, does }) => (effect === 'none' ? `nothing here: ${does}` : does) },
      ],
    ),
  );
