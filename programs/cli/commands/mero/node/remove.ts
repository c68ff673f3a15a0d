import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { nodeGiven, onNode } from './arguments.ts';
import { type Removing, removeNode, removing } from './removing.ts';

/** `mero node remove`: removes all processes of a host. */
export const remove: Verb = (noun, cli) => {
  const command = removing(inStorageZone(onNode(noun.command('remove'))))
    .description(
      'Remove all processes of a host, and its Mero node with the last of them. Managed processes are stopped first. While unmanaged processes run, the command names them and removes nothing. The host stays a node. Asks first, unless --yes',
    )
    .action(async (argument: string | undefined, options: ZoneChoice & Removing) => {
      const node = nodeGiven(argument, options);
      await removeNode(cli, { zone: await storageZone(cli, options), node, host: false }, options);
    });
  examples(command, cli.terminal.name, ['mero node remove ssu4.acme.org --dry-run'], ['mero node remove ssu4.acme.org --yes']);
};
