import { contract } from '../../../../lib/contract.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';

/** `zone unfreeze`: lets a frozen zone go on. */
export const unfreeze: Verb = (noun, cli) => {
  const command = noun
    .command('unfreeze')
    .argument('<zone>', 'its name', zone)
    .description('Unfreeze a zone: moves and expiry that are due happen at once')
    .action(async (name: ZoneView['name']) => {
      const { body } = await cli.call(contract.unfreezeZone, { params: { zone: name }, body: {} });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['zone unfreeze default']);
};
