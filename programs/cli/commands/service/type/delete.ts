import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from '../zone.ts';

/** `service type delete`: a type that was put goes. */
export const deleteType: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('delete'))
    .argument('<type>', 'the name of the type')
    .description('Delete a type of service that was put into the zone. Refused while the zone has services of it')
    .action(async (type: string, options: ZoneChoice) => {
      const { body } = await cli.call(contract.deleteServiceType, { params: { zone: await serviceZone(cli, options), type } });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['service type delete greeter']);
};
