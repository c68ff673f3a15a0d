import { Option } from 'commander';
import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { waitOption } from '../process/arguments.ts';
import { untilNode } from '../process/waiting.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { nodeGiven, onNode } from './arguments.ts';

type Options = ZoneChoice & {
  readonly node?: string;
  readonly async?: true;
  readonly force?: true;
  readonly reason?: string;
  readonly timeout: number;
};

/** `mero node stop`: all managed processes of a host stop, and stay so. */
export const stop: Verb = (noun, cli) => {
  const command = inStorageZone(onNode(noun.command('stop')))
    .description(
      'Stop all managed processes of a host until mero node start. Refused where the cluster would lose its liveness, unless forced',
    )
    .addOption(new Option('-s, --sync', 'wait until they have stopped, which is the default').conflicts('async'))
    .option('-a, --async', 'give the order, and do not wait')
    .option('-f, --force', 'even if the cluster loses its liveness')
    .option('--reason <text>', 'the reason, for the record')
    .addOption(waitOption())
    .action(async (argument: string | undefined, options: Options) => {
      const node = nodeGiven(argument, options);
      const zone = await storageZone(cli, options);
      const order = { force: options.force === true, ...(options.reason !== undefined && { reason: options.reason }) };
      const { body } = await cli.call(contract.stopMeroNode, { params: { zone, node }, body: order });
      if (options.async) return cli.show(body, () => `${body.because}\n`);
      cli.say('Stop initiated.');
      cli.say('Waiting for completion.');
      const ended = await untilNode(cli, { zone, node, timeoutMs: options.timeout }, (now) => {
        const managed = (now?.processes ?? []).filter((one) => one.managed);
        if (managed.some(({ state }) => state !== 'offline' && state !== 'failed')) return undefined;
        const failed = managed.filter(({ state }) => state === 'failed').map(({ fid }) => fid);
        return failed.length === 0 ? 'done' : `processes of ${node} have failed: ${failed.join(', ')}`;
      });
      if (ended === 'done') return cli.show(body, () => 'Stop node finished.\n');
      throw new Failure(exitCodes.failed, ended ?? `not all processes of ${node} have stopped in time`, 'See their states: mero status');
    });
  examples(command, cli.terminal.name, ['mero node stop ssu1.acme.org'], ['mero node stop --node 0x6e00000000000001:0x1c --force']);
};
