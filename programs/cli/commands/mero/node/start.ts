import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { waitOption } from '../process/arguments.ts';
import { untilNode } from '../process/waiting.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { nodeGiven, onNode } from './arguments.ts';

type Options = ZoneChoice & { readonly node?: string; readonly async?: true; readonly timeout: number };

/** `mero node start`: the opposite of `mero node stop`. */
export const start: Verb = (noun, cli) => {
  const command = inStorageZone(onNode(noun.command('start')))
    .description(
      'Let the processes of a host run again, as far as the level of the cluster allows. Processes that were stopped one by one stay stopped',
    )
    .option('-a, --async', 'give the order, and do not wait')
    .addOption(waitOption())
    .action(async (argument: string | undefined, options: Options) => {
      const node = nodeGiven(argument, options);
      const zone = await storageZone(cli, options);
      const { body } = await cli.call(contract.startMeroNode, { params: { zone, node }, body: {} });
      if (options.async) return cli.show(body, () => `${body.because}\n`);
      cli.say('Start initiated.');
      cli.say('Waiting for completion.');
      const ended = await untilNode(cli, { zone, node, timeoutMs: options.timeout }, (now) => {
        if (!now) return `${node} was removed`;
        return now.processes.every(({ goal, state }) => goal !== 'run' || state === 'online') ? 'done' : undefined;
      });
      if (ended === 'done') return cli.show(body, () => 'Start node finished.\n');
      throw new Failure(exitCodes.failed, ended ?? `not all processes of ${node} have started in time`, 'See their states: mero status');
    });
  examples(command, cli.terminal.name, ['mero node start ssu1.acme.org']);
};
