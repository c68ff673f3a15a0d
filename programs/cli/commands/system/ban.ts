import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onEach } from './each.ts';
import { onSystems } from './options.ts';

/** `system ban`: bans keys forever. */
export const ban: Verb = (noun, cli) => {
  const command = onSystems(noun.command('ban'))
    .description('Ban client systems by their fingerprints, forever. Asks first, unless --yes')
    .action(async (given: readonly string[]) => {
      const systems = await wholeFingerprints(cli, given);
      await cli.confirm(`Ban ${systems.length === 1 ? `the key ${systems[0]}` : `${systems.length} keys`} forever?`);
      await onEach(cli, systems, 'banned', (some) => cli.call(contract.ban, { body: { systems: some } }));
    });
  examples(
    command,
    cli.terminal.name,
    ['system ban 1f2e3d4c', 'by the beginning of its fingerprint'],
    ['system ban 1F:2E:3D:… --yes', 'by its whole fingerprint, in a script'],
  );
};
