import { contract } from '../../../../../lib/contract.ts';
import type { ServiceTypeView } from '../../../../../lib/services/type-routes.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import type { Column } from '../../../output/table.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from '../zone.ts';

/** `service type list`: which services there can be. */
export const list: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('list'))
    .description('List the types of services of a zone: those that come with Muster, and those that were put')
    .action(async (options: ZoneChoice) => {
      const { items } = (await cli.call(contract.listServiceTypes, { params: { zone: await serviceZone(cli, options) } })).body;
      cli.show(items, () => cli.table(items, columns));
    });
  examples(command, cli.terminal.name, ['service type list'], ["service type list --json | jq -r '.[].name'"]);
};

const columns: readonly Column<ServiceTypeView>[] = [
  { title: 'TYPE', of: ({ name }) => name },
  { title: 'NAME', of: ({ serviceName }) => serviceName },
  { title: 'SCHEMA', of: ({ schema }) => schema.name },
  { title: 'RUNS', of: ({ program }) => (program.is === 'command' ? program.start.join(' ') : '') },
  { title: 'NEEDS', of: ({ takesCommand }) => (takesCommand ? 'execute' : 'operate') },
  { title: 'MESSAGES', of: ({ messages }) => messages.map(({ name }) => name).join(' ') },
  { title: 'FROM', of: ({ origin }) => (origin === 'muster' ? 'Muster' : 'put') },
];
