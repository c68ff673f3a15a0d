import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { type Fid, fidGiven, onProcess, waitOption } from './arguments.ts';
import { untilProcess } from './waiting.ts';

type Options = ZoneChoice & { readonly fid?: Fid; readonly async?: true; readonly timeout: number };

/** `mero process start`: Muster wants a process started. */
export const start: Verb = (noun, cli) => {
  const command = inStorageZone(onProcess(noun.command('start')))
    .description('Start a process, as far as the level of the cluster allows; an unmanaged process only this once')
    .option('-a, --async', 'give the order, and do not wait')
    .addOption(waitOption())
    .action(async (argument: Fid | undefined, options: Options) => {
      const fid = fidGiven(argument, options);
      const zone = await storageZone(cli, options);
      const before = (await cli.call(contract.getMeroProcess, { params: { zone, fid } })).body;
      const { body } = await cli.call(contract.startMeroProcess, { params: { zone, fid }, body: {} });
      if (options.async) return cli.show(body, () => `${body.because}\n`);
      const ended = await untilProcess(cli, { zone, fid, timeoutMs: options.timeout }, (now) => {
        if (!now) return `${fid} was removed`;
        if (now.state === 'online') return 'online';
        // A process that failed before stays so until its agent has the order.
        const isOver = now.state === 'failed' && now.since !== before.since && now.retryAt === undefined;
        return isOver ? `${fid} failed to start: ${now.reason}` : undefined;
      });
      if (ended === 'online') return cli.show(body, () => `${fid} started.\n`);
      throw new Failure(
        exitCodes.failed,
        ended ?? `${fid} has not started in time; the order to start it remains`,
        'See its state: mero status',
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['mero process start 0x7200000000000001:0x2d'],
    ['mero process start --fid 0x7200000000000001:0x2d --async'],
  );
};
