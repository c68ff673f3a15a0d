import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from '../zone.ts';

/** `service type delete`: a type that was put goes. */
export const deleteType: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('delete'))
    .argument('<type>', 'its name')
    .description('Take a type of service that was put out of the zone. Refused while there are services of it')
    .action(async (type: string, options: ZoneChoice) => {
      const { body } = await cli.call(contract.deleteServiceType, { params: { zone: await serviceZone(cli, options), type } });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['service type delete greeter']);
};
