import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & { readonly hard?: true; readonly unstick?: true };

/** `mero reset`: the states of processes are unknown until their hosts report them. */
export const reset: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('reset'))
    .description('Forget the states of the processes of a stopped storage cluster, until their hosts report them')
    .option('--hard', 'also if the cluster is not stopped: set it OFFLINE and stop all levels at once. Asks first, unless --yes')
    .option('--unstick', 'forget nothing: evaluate the levels again, and restart the time of what is late')
    .action(async ({ hard, unstick, ...choice }: Options) => {
      if (hard && unstick) throw new Failure(exitCodes.usage, '--hard and --unstick exclude each other', 'Give one of them');
      const zone = await storageZone(cli, choice);
      if (hard) await cli.confirm(`Reset the cluster of zone ${zone}? This stops all of its levels at once.`);
      const mode = hard ? 'hard' : unstick ? 'unstick' : 'soft';
      const { body } = await cli.call(contract.resetMero, { params: { zone }, body: { mode } });
      cli.show(body, () => `${body.because}${mode === 'unstick' ? '' : ` (${body.processes} processes)`}\n`);
    });
  examples(command, cli.terminal.name, ['mero reset'], ['mero reset --hard --yes'], ['mero reset --unstick']);
};
