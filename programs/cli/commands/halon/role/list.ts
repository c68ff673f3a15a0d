import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import type { Column } from '../../../output/table.ts';
import { originWords, type SomeRole } from '../../mero/role/origin.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../../mero/zone.ts';

/** `halon role list`: what hosts are besides what runs on them. */
export const list: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('list'))
    .description('List the Halon roles of a storage zone: whether they make hosts stations, and the services that they run')
    .action(async (options: ZoneChoice) => {
      const { items } = (await cli.call(contract.listHalonRoles, { params: { zone: await storageZone(cli, options) } })).body;
      cli.show(items, () => cli.table(items, columns));
    });
  examples(command, cli.terminal.name, ['halon role list']);
};

type Role = { readonly name: string; readonly station: boolean; readonly services: readonly { readonly type: string }[] };
const columns: readonly Column<SomeRole<Role>>[] = [
  { title: 'ROLE', of: ({ role }) => role.name },
  { title: 'STATION', of: ({ role }) => (role.station ? 'yes' : 'no') },
  { title: 'SERVICES', of: ({ role }) => role.services.map(({ type }) => type).join(' ') },
  { title: 'FROM', of: ({ origin }) => originWords[origin] },
];
