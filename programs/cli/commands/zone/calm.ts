import { contract } from '../../../../lib/contract.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';

/** `zone calm`: ends a disruption on an operator's order. */
export const calm: Verb = (noun, cli) => {
  const command = noun
    .command('calm')
    .argument('<zone>', 'its name', zone)
    .description(
      'End a disruption: nodes that are silent now count as lost, and their client systems move elsewhere. Asks first, unless --yes',
    )
    .action(async (name: ZoneView['name']) => {
      await cli.confirm(`Give up all silent nodes of zone ${name}?`);
      const { body } = await cli.call(contract.calmZone, { params: { zone: name }, body: {} });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['zone calm default'], ['explain zone default', 'the nodes that are held, and why']);
};
