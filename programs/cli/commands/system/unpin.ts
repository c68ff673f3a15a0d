import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onEach } from './each.ts';
import { onSystems } from './options.ts';

/** `system unpin`: lets client systems follow their slots again. */
export const unpin: Verb = (noun, cli) => {
  const command = onSystems(noun.command('unpin'))
    .description('Unpin client systems: they go where the map of their zone says. Safe to repeat')
    .action(async (given: readonly string[]) => {
      const systems = await wholeFingerprints(cli, given);
      await onEach(cli, systems, 'unpinned', (some) => cli.call(contract.unpinSystems, { body: { systems: some } }));
    });
  examples(
    command,
    cli.terminal.name,
    ['system unpin 1f2e3d4c'],
    ["system unpin $(muster system list --pinned --node node7.acme.org --json | jq -r '.[].fp')", 'all that are pinned on a node'],
  );
};
