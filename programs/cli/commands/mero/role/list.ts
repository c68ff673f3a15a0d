import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import type { Column } from '../../../output/table.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { originWords, type SomeRole } from './origin.ts';

/** `mero role list`: which processes a host gets by which role. */
export const list: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('list'))
    .description('List the Mero roles of a storage zone: those that come with Muster, and those that were put')
    .action(async (options: ZoneChoice) => {
      const { items } = (await cli.call(contract.listMeroRoles, { params: { zone: await storageZone(cli, options) } })).body;
      cli.show(items, () => cli.table(items, columns));
    });
  examples(command, cli.terminal.name, ['mero role list'], ["mero role list --json | jq '.[].role.name'"]);
};

const columns: readonly Column<SomeRole<{ name: string; content: object[]; variables?: object | undefined }>>[] = [
  { title: 'ROLE', of: ({ role }) => role.name },
  { title: 'PROCESSES', align: 'right', of: ({ role }) => String(role.content.length) },
  {
    title: 'VARIABLES',
    of: ({ role }) =>
      Object.entries(role.variables ?? {})
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(' '),
  },
  { title: 'FROM', of: ({ origin }) => originWords[origin] },
];
