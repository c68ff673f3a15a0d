import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

/** `mero sync`: has every agent read its assignment again. */
export const sync: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('sync'))
    .description('Have every agent of a storage cluster read its assignment again, with its next heartbeat')
    .option('--force', 'even if no facts are loaded')
    .action(async (options: ZoneChoice & { readonly force?: true }) => {
      const zone = await storageZone(cli, options);
      const { body } = await cli.call(contract.syncMero, { params: { zone }, body: options.force ? { force: true } : {} });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['mero sync'], ['mero sync --force --zone tier1']);
};
