import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

/** `mero sync`: has every agent read again what it is to run. */
export const sync: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('sync'))
    .description('Have every agent of a storage cluster read again what it is to run, with its next heartbeat')
    .option('--force', 'also while nothing is loaded')
    .action(async (options: ZoneChoice & { readonly force?: true }) => {
      const zone = await storageZone(cli, options);
      const { body } = await cli.call(contract.syncMero, { params: { zone }, body: options.force ? { force: true } : {} });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(command, cli.terminal.name, ['mero sync'], ['mero sync --force --zone tier1']);
};
