import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { outputOption, previewZone } from '../preview.ts';

/** `zone preview`: shows what would happen if nodes of a zone were lost. */
export const preview: Verb = (noun, cli) => {
  const command = noun
    .command('preview')
    .argument('<zone>', 'its name', zone)
    .requiredOption(
      '--lose <what>',
      'nodes, labels such as rack=r12, and in a storage zone site=1, rack=1/2 or enclosure=e17; several with commas',
    )
    .addOption(outputOption())
    .description('Show what would happen if nodes fell silent together, and change nothing. Orders have --dry-run')
    .action((name: ZoneView['name'], { lose }: { readonly lose: string }) => previewZone(cli, name, { lose }));
  examples(
    command,
    cli.terminal.name,
    ['zone preview default --lose node6.acme.org'],
    ['zone preview default --lose rack=r12', 'all nodes with this label'],
    ['zone preview lab --lose site=1 -o json', 'with what a storage cluster loses'],
  );
};
