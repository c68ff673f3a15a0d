import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../../mero/zone.ts';

/** `halon role delete`: a Halon role that was put goes. */
export const deleteRole: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('delete'))
    .argument('<role>', 'the name of the role')
    .description('Delete a Halon role that was put into the catalogue. A role that comes with Muster returns to its first form')
    .action(async (role: string, options: ZoneChoice) => {
      const { body } = await cli.call(contract.deleteHalonRole, { params: { zone: await storageZone(cli, options), role } });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['halon role delete watcher']);
};
