import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { type Fid, fidGiven, onProcess } from './arguments.ts';
import { deliver } from './configurations.ts';

type Options = ZoneChoice & { readonly fid?: Fid; readonly output?: string };

/** `mero process configuration`: the configuration that a process needs to run. */
export const configuration: Verb = (noun, cli) => {
  const command = inStorageZone(onProcess(noun.command('configuration')))
    .description('Print the configuration of a process, as its file on its host has it and as mero process add printed it')
    .option('-o, --output <file>', 'write it to this new file, or into this folder under its own name')
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
