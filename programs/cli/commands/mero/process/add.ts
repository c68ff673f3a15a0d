import type { NodeView } from '../../../../../lib/nodes/admin-routes.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { type Adding, addProcesses } from './adding.ts';
import { setOption } from './arguments.ts';

type Options = ZoneChoice & Omit<Adding, 'zone' | 'roles'> & { readonly node: NodeView['fqdn'] };

/** `mero process add`: the processes of a role on a host. */
export const add: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('add'))
    .argument('<role>', 'a Mero role, as mero role list shows it')
    .description(
      'Add the processes of a role to a host, all or none, and print the configuration of each. Any host that has joined the zone may have them; the first process makes it a Mero node',
    )
    .requiredOption('--node <node>', 'the host: its name, the fid of its Mero node or the id of its node')
    .addOption(setOption())
    .option('-o, --output <file>', 'write the configurations to this new file, or each as a file into this folder')
    .option('-n, --dry-run', 'show what would be added, and add nothing')
    .action(async (role: string, { zone, ...options }: Options) =>
      addProcesses(cli, { ...options, zone: await storageZone(cli, { ...(zone !== undefined && { zone }) }), roles: [role] }),
    );
  examples(
    command,
    cli.terminal.name,
    ['mero process add clovis-app --node client2.acme.org --set multiplicity=1'],
    ['mero process add s3server --node ssu1.acme.org --set multiplicity=16 -o /etc/sysconfig', 'a file for each'],
  );
};
