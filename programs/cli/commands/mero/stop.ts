import { contract } from '../../../../lib/contract.ts';
import type { MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { awaitedText, timeoutOption, waitUntil } from './waiting.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & {
  readonly async?: true;
  readonly force?: true;
  readonly reason?: string;
  readonly silent?: true;
  readonly timeout: number;
};

/** `mero stop`: brings a storage cluster OFFLINE. */
export const stop: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('stop'))
    .description('Stop a storage cluster level by level, and name the processes that it waits for')
    .option('-a, --async', 'give the order, and do not wait')
    .option('-f, --force', 'do not wait for processes that exceed their time to stop')
    .option('--reason <text>', 'the reason, for the record')
    .option('--silent', 'print nothing; the exit code shows the outcome')
    .addOption(timeoutOption('stop'))
    .action(async ({ async: goesOn, force, reason, silent, timeout, ...choice }: Options) => {
      const reporting = silent ? quiet(cli) : cli;
      const zone = await storageZone(reporting, choice);
      const body = { ...(force && { force }), ...(reason !== undefined && { reason }) };
      const { body: reply } = await reporting.call(contract.stopMero, { params: { zone }, body });
      if (goesOn) return reporting.show(reply, () => `${reply.because}\n`);
      await stopped(reporting, zone, { timeoutMs: timeout, isNew: reply.done });
    });
  examples(command, cli.terminal.name, ['mero stop --reason "new racks"'], ['mero stop --async'], ['mero stop --force']);
};

/** The same, without any output. */
const quiet = (cli: Cli): Cli => ({ ...cli, say: () => undefined, show: () => undefined, terminal: { ...cli.terminal, rewrites: false } });

type Wait = { readonly timeoutMs: number; readonly isNew: boolean };

async function stopped(cli: Cli, zone: MeroStatus['zone'], { timeoutMs, isNew }: Wait): Promise<void> {
  let percent = 0;
  let looks = 0;
  const seen = ({ managed }: MeroStatus): void => {
    const now = managed.all === 0 ? 100 : Math.round((100 * (managed.all - managed.running)) / managed.all);
    if (looks++ > 0 && now !== percent) cli.say(`Progress: ${percent}% -> ${now}%`);
    percent = now;
  };
  if (isNew) cli.say('Cluster disposition: ONLINE -> OFFLINE');
  const { ended, status } = await waitUntil(cli, zone, { disposition: 'OFFLINE', timeoutMs, seen });
  const wasStopped = !isNew && looks === 1;
  if (ended === 'done' && status.unheard !== undefined)
    cli.say(
      `Unknown, because their hosts are silent: ${status.unheard} of ${status.managed.all} processes. They stop once these hosts are heard again`,
    );
  if (ended === 'done') return cli.show(status, () => (wasStopped ? 'Cluster already stopped\n' : 'Cluster stopped successfully\n'));
  if (ended === 'turned') throw new Failure(exitCodes.failed, 'the cluster was started meanwhile');
  cli.show(status, () => `Giving up on waiting… Still waiting for following processes:\n${awaitedText(status)}`);
  throw new Failure(exitCodes.failed, 'the cluster has not stopped in time, and continues to stop', 'See its progress: mero status');
}
