import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import { remapAfterMaxMs, type ZoneView } from '../../../../lib/zones/routes.ts';
import { spanMs, zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { readmitOption } from './readmit-option.ts';

type Options = { readonly kind?: ZoneView['kind']; readonly remapAfter?: number; readonly readmit?: ZoneView['readmit'] };

/** `zone create`: creates a zone. */
export const create: Verb = (noun, cli) => {
  const command = noun
    .command('create')
    .argument('<zone>', 'its name', zone)
    .description('Create a zone. An existing zone of this name that is the same stays as it is')
    .addOption(new Option('--kind <kind>', 'what its nodes are for; default management').choices(['management', 'storage']))
    .option('--remap-after <span>', 'how long the client systems of a lost node wait for it, such as 10m; default not at all', spanMs)
    .addOption(readmitOption('default admin'))
    .action(async (name: ZoneView['name'], { kind, remapAfter, readmit }: Options) => {
      if (remapAfter !== undefined && remapAfter > remapAfterMaxMs)
        throw new Failure(exitCodes.usage, '--remap-after is longer than a day', 'Give a shorter span, such as --remap-after 10m');
      const asked = {
        name,
        ...(kind && { kind }),
        ...(remapAfter !== undefined && { remapAfterMs: remapAfter }),
        ...(readmit && { readmit }),
      };
      const { status, body } = await cli.call(contract.createZone, { body: asked });
      cli.show(body, () => `zone ${body.name} ${status === 201 ? 'created' : 'exists already'}: number ${body.number}, ${body.kind}\n`);
    });
  examples(
    command,
    cli.terminal.name,
    ['zone create emea', 'a zone for nodes and client systems'],
    ['zone create lab --remap-after 10m', 'nodes may restart without losing their client systems'],
  );
};
