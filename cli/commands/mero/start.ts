import type { MeroStatus } from '../../../lib/api/admin-mero-routes.ts';
import { contract } from '../../../lib/api/contract.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { awaitedText, progressOn, timeoutOption, waitUntil } from './waiting.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & { readonly async?: true; readonly timeout: number };

/** `mero start`: a storage cluster is to be ONLINE. */
export const start: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('start'))
    .description('Start a storage cluster: its levels go up one after another, and whoever is waited for is named')
    .option('-a, --async', 'say so, and do not wait')
    .addOption(timeoutOption('start'))
    .action(async ({ async: goesOn, timeout, ...choice }: Options) => {
      const zone = await storageZone(cli, choice);
      const { body } = await cli.call(contract.startMero, { params: { zone }, body: {} });
      if (goesOn) return cli.show(body, () => `${body.because}\n`);
      await started(cli, zone, timeout);
    });
  examples(command, cli.terminal.name, ['mero start'], ['mero start --async'], ['mero start --timeout 30m']);
};

/** Waits until a cluster has started, and says so. Throws a {@link Failure} when it has not, naming whom it waits for. */
export async function started(cli: Cli, zone: MeroStatus['zone'], timeoutMs: number): Promise<void> {
  const progress = progressOn(cli);
  const told = ({ level, managed, because }: MeroStatus): void =>
    progress.say(`Run level ${level}, ${managed.online} of ${managed.all} processes online. ${because}`);
  const { ended, status } = await waitUntil(cli, zone, { disposition: 'ONLINE', timeoutMs, told });
  progress.end();
  if (ended === 'done') return cli.show(status, () => 'Cluster started successfully.\n');
  if (ended === 'turned') throw new Failure(exitCodes.failed, 'the cluster was stopped meanwhile');
  cli.show(status, () => `Cluster failed to start on time. Still waiting for following processes:\n${awaitedText(status)}`);
  throw new Failure(exitCodes.failed, 'the cluster has not started in time, and goes on starting', 'See how far it is: mero status');
}
