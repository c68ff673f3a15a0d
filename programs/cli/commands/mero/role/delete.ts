import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';

/** `mero role delete`: a role that was put goes. */
export const deleteRole: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('delete'))
    .argument('<role>', 'the name of the role')
    .description(
      'Delete a Mero role that was put into the catalogue. A role that comes with Muster returns to its first form. Processes stay as they are',
    )
    .action(async (role: string, options: ZoneChoice) => {
      const { body } = await cli.call(contract.deleteMeroRole, { params: { zone: await storageZone(cli, options), role } });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['mero role delete s3server']);
};
