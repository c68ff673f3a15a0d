import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { nodeGiven, onNode } from '../../mero/node/arguments.ts';
import { type Removing, removeNode, removing } from '../../mero/node/removing.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../../mero/zone.ts';

/** `halon node remove`: a host goes with all of its processes. */
export const remove: Verb = (noun, cli) => {
  const command = removing(inStorageZone(onNode(noun.command('remove'))))
    .description(
      'Remove a host: all of its processes, as mero node remove does, then its node. Its agent is notified, and stays out until halon node add. Asks first, unless --yes',
    )
    .action(async (argument: string | undefined, options: ZoneChoice & Removing) => {
      const node = nodeGiven(argument, options);
      await removeNode(cli, { zone: await storageZone(cli, options), node, host: true }, options);
    });
  examples(command, cli.terminal.name, ['halon node remove ssu4.acme.org --dry-run'], ['halon node add ssu4.acme.org', 'let it in again']);
};
