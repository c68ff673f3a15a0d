import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { type Fid, fidGiven, onProcess, waitOption } from './arguments.ts';
import { untilProcess } from './waiting.ts';

type Options = ZoneChoice & {
  readonly fid?: Fid;
  readonly async?: true;
  readonly force?: true;
  readonly dryRun?: true;
  readonly timeout: number;
};

/** `mero process remove`: a process leaves the cluster for good. */
export const remove: Verb = (noun, cli) => {
  const command = inStorageZone(onProcess(noun.command('remove')))
    .description(
      'Remove a process for good. A managed process is stopped first, and removed as failed if it does not stop in time. An unmanaged process must be offline or failed. Asks first, unless --yes',
    )
    .option('-a, --async', 'give the order, and do not wait')
    .option('-f, --force', 'even if the cluster loses its liveness')
    .option('-n, --dry-run', 'show what would be removed, and remove nothing')
    .addOption(waitOption())
    .action(async (argument: Fid | undefined, options: Options) => {
      const fid = fidGiven(argument, options);
      const zone = await storageZone(cli, options);
      const asked = { force: options.force === true, dryRun: options.dryRun === true };
      if (!asked.dryRun) await cli.confirm(`Remove ${fid}? Its endpoint becomes free, and its fid is never used again.`);
      const { body } = await cli.call(contract.removeMeroProcess, { params: { zone, fid }, body: asked });
      if (options.async || asked.dryRun) return cli.show(body, () => `${body.because}\n`);
      const ended = await untilProcess(cli, { zone, fid, timeoutMs: options.timeout }, (now) => (now ? undefined : 'removed'));
      if (ended === undefined)
        throw new Failure(exitCodes.failed, `${fid} has not stopped yet; Muster removes it once it has`, 'See its state: mero status');
      cli.show(body, () => `${fid} removed.\n`);
    });
  examples(
    command,
    cli.terminal.name,
    ['mero process remove 0x7200000000000001:0x2d --dry-run'],
    ['mero process remove 0x7200000000000001:0x2d --yes'],
  );
};
