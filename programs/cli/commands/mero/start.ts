import { contract } from '../../../../lib/contract.ts';
import type { MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { awaitedText, timeoutOption, type Waited, waitUntil } from './waiting.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & { readonly async?: true; readonly timeout: number };

/** `mero start`: brings a storage cluster ONLINE. */
export const start: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('start'))
    .description('Start a storage cluster level by level, and name the processes that it waits for')
    .option('-a, --async', 'give the order, and do not wait')
    .addOption(timeoutOption('start'))
    .action(async ({ async: goesOn, timeout, ...choice }: Options) => {
      const zone = await storageZone(cli, choice);
      const { body } = await cli.call(contract.startMero, { params: { zone }, body: {} });
      if (goesOn) return cli.show(body, () => `${body.because}\n`);
      showStarted(cli, await waitStarted(cli, zone, timeout));
    });
  examples(command, cli.terminal.name, ['mero start'], ['mero start --async'], ['mero start --timeout 30m']);
};

/**
 * Shows how a wait for a start ended. Throws a {@link Failure} when the cluster has not started, with the processes
 * that it waits for.
 */
function showStarted(cli: Cli, waited: Waited): void {
  const failure = notStarted(waited);
  cli.show(waited.status, () => startedText(waited));
  if (failure) throw failure;
}

/** Waits for a start, and shows the progress on a terminal. */
export async function waitStarted(cli: Cli, zone: MeroStatus['zone'], timeoutMs: number): Promise<Waited> {
  const progressText = ({ level, managed, because }: MeroStatus): string =>
    `Run level ${level}, ${managed.online} of ${managed.all} processes online. ${because}`;
  return waitUntil(cli, zone, { disposition: 'ONLINE', timeoutMs, progressText });
}

/** How it ended, in the words of the original. */
export function startedText({ ended, status }: Waited): string {
  if (ended === 'done') return 'Cluster started successfully.\n';
  if (ended === 'turned') return 'The cluster was stopped meanwhile.\n';
  if (status.noQuorum !== undefined) return `Cluster failed to start on time: ${printable(status.noQuorum)}\n`;
  return `Cluster failed to start on time. Still waiting for following processes:\n${awaitedText(status)}`;
}

/** The failure of a command whose cluster has not started. */
export function notStarted({ ended }: Waited): Failure | undefined {
  if (ended === 'done') return undefined;
  if (ended === 'turned') return new Failure(exitCodes.failed, 'the cluster was stopped meanwhile');
  return new Failure(exitCodes.failed, 'the cluster has not started in time, and continues to start', 'See its progress: mero status');
}
