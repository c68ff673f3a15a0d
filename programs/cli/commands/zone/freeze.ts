import { contract } from '../../../../lib/contract.ts';
import { freezes } from '../../../../lib/zones/guardrails/routes.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { as, zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';

/** `zone freeze`: stops moves in a zone, expiry, or both. */
export const freeze: Verb = (noun, cli) => {
  const command = noun
    .command('freeze')
    .argument('<zone>', 'its name', zone)
    .argument(
      '<what>',
      'moves: no slot moves; expiry: nothing is given up for being silent or away; all: both',
      as(freezes, 'moves, expiry or all'),
    )
    .description('Freeze a zone until it is unfrozen')
    .action(async (name: ZoneView['name'], what: (typeof freezes.options)[number]) => {
      const { body } = await cli.call(contract.freezeZone, { params: { zone: name }, body: { what } });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['zone freeze default expiry', 'during work on the network']);
};
