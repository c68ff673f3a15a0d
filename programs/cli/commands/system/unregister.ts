import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onEach } from './each.ts';
import { onSystems } from './options.ts';

/** `system unregister`: takes client systems off their nodes. */
export const unregister: Verb = (noun, cli) => {
  const command = onSystems(noun.command('unregister'))
    .description('Take client systems off their nodes. Their keys stay accepted, and Muster finds a node for them again')
    .action(async (given: readonly string[]) => {
      const systems = await wholeFingerprints(cli, given);
      await onEach(cli, systems, 'unregistered', (some) => cli.call(contract.unregister, { body: { systems: some } }));
    });
  examples(command, cli.terminal.name, ["system unregister $(muster system list --tag old --json | jq -r '.[].fp')"]);
};
