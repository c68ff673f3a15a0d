import { contract } from '../../../../lib/contract.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';

/** `zone delete`: deletes an empty zone. */
export const deleteZone: Verb = (noun, cli) => {
  const command = noun
    .command('delete')
    .argument('<zone>', 'its name', zone)
    .description('Delete an empty zone; if it is not empty, the error names what is left. Asks first, unless --yes')
    .action(async (name: ZoneView['name']) => {
      await cli.confirm(`Delete zone ${name}?`);
      const { body } = await cli.call(contract.deleteZone, { params: { zone: name }, body: {} });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['zone delete lab'], ['zone show lab', 'see what is left in it']);
};
