import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { type Fid, fidGiven, onProcess } from './arguments.ts';
import { deliver } from './configurations.ts';

type Options = ZoneChoice & { readonly fid?: Fid; readonly output?: string };

/** `mero process configuration`: what a process must be told to run. */
export const configuration: Verb = (noun, cli) => {
  const command = inStorageZone(onProcess(noun.command('configuration')))
    .description('What a process must be told to run, as its file on its host has it: the same that its addition printed')
    .option('-o, --output <file>', 'write it there, where nothing must be yet; into a folder under its own name')
    .action(async (argument: Fid | undefined, options: Options) => {
      const fid = fidGiven(argument, options);
      const { body } = await cli.call(contract.getMeroConfiguration, { params: { zone: await storageZone(cli, options), fid } });
      deliver(cli, body, [body], options.output);
    });
  examples(
    command,
    cli.terminal.name,
    ['mero process configuration 0x7200000000000001:0x2d'],
    ['mero process configuration 0x7200000000000001:0x2d -o /etc/sysconfig'],
  );
};
