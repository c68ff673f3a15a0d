import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { type Adding, addProcesses } from '../process/adding.ts';
import { setOption } from '../process/arguments.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';

type Options = ZoneChoice & Omit<Adding, 'zone' | 'roles' | 'node'>;

/** `mero node add`: the processes of several roles on a host. */
export const add: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('add'))
    .argument('<node>', 'the host: its name, the fid of its Mero node or the id of its node')
    .argument('<role...>', 'Mero roles, as mero role list shows them')
    .description('Add the processes of several roles to a host at once, all or none, and print the configuration of each')
    .addOption(setOption())
    .option('-o, --output <file>', 'write the configurations to this new file, or each as a file into this folder')
    .option('-n, --dry-run', 'show what would be added, and add nothing')
    .action(async (node: string, roles: string[], { zone, ...options }: Options) =>
      addProcesses(cli, { ...options, node, zone: await storageZone(cli, { ...(zone !== undefined && { zone }) }), roles }),
    );
  examples(
    command,
    cli.terminal.name,
    ['mero node add ssu4.acme.org ha storage m0t1fs'],
    ['mero node add ssu4.acme.org s3server --set multiplicity=8 --dry-run'],
  );
};
