import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { type Fid, fidGiven, onProcess, waitOption } from './arguments.ts';
import { untilProcess } from './waiting.ts';

type Options = ZoneChoice & { readonly fid?: Fid; readonly async?: true; readonly force?: true; readonly timeout: number };

/** `mero process stop`: a managed process stops, and stays so. */
export const stop: Verb = (noun, cli) => {
  const command = inStorageZone(onProcess(noun.command('stop')))
    .description('Stop a managed process until it is started again. Refused where the cluster would lose its liveness, unless forced')
    .option('-a, --async', 'give the order, and do not wait')
    .option('-f, --force', 'even if the cluster loses its liveness')
    .addOption(waitOption())
    .action(async (argument: Fid | undefined, options: Options) => {
      const fid = fidGiven(argument, options);
      const zone = await storageZone(cli, options);
      const { body } = await cli.call(contract.stopMeroProcess, { params: { zone, fid }, body: { force: options.force === true } });
      if (options.async) return cli.show(body, () => `${body.because}\n`);
      cli.say('Process stop initiated.');
      const ended = await untilProcess(cli, { zone, fid, timeoutMs: options.timeout }, (now) => {
        if (!now || now.state === 'offline') return 'stopped';
        return now.state === 'failed' ? `${fid} failed to stop: ${now.reason}` : undefined;
      });
      if (ended === 'stopped') return cli.show(body, () => `${fid} stopped.\n`);
      throw new Failure(
        exitCodes.failed,
        ended ?? `${fid} has not stopped in time; the order to stop it remains`,
        'See its state: mero status',
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['mero process stop 0x7200000000000001:0x2d'],
    ['mero process stop 0x7200000000000001:0x2d --force'],
  );
};
