import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & { readonly hard?: true; readonly unstick?: true };

/** `mero reset`: what processes do is not known any more, until their hosts have said it. */
export const reset: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('reset'))
    .description('Forget what the processes of a stopped storage cluster do, until their hosts have said it')
    .option('--hard', 'also of one that is not stopped: it is to be OFFLINE at once, all levels together. Asks first, unless --yes')
    .option('--unstick', 'forget nothing: look at the levels anew, and give what is late its time again')
    .action(async ({ hard, unstick, ...choice }: Options) => {
      if (hard && unstick) throw new Failure(exitCodes.usage, '--hard and --unstick are different things', 'Give one of them');
      const zone = await storageZone(cli, choice);
      if (hard) await cli.confirm(`Reset the cluster of zone ${zone}? It is stopped, all of its levels together.`);
      const mode = hard ? 'hard' : unstick ? 'unstick' : 'soft';
      const { body } = await cli.call(contract.resetMero, { params: { zone }, body: { mode } });
      cli.show(body, () => `${body.because}${mode === 'unstick' ? '' : ` (${body.processes} processes)`}\n`);
    });
  examples(command, cli.terminal.name, ['mero reset'], ['mero reset --hard --yes'], ['mero reset --unstick']);
};
