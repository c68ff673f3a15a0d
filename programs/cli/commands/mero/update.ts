import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { BodyOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import { Fid } from '../../../../lib/core/fid.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Setting = BodyOf<(typeof contract)['updateMero']>['set'][number];

/** `mero update`: an operator sets the states of processes and services. */
export const update: Verb = (noun, cli) => {
  const command: Command = inStorageZone(noun.command('update'))
    .description('Set the states of processes and services, all or none, where you know better than the reports of their hosts')
    .requiredOption('--set <fid@state>', 'a process or service and its state; may be given several times', setting)
    .action(async ({ set, ...choice }: ZoneChoice & { readonly set: Setting[] }) => {
      const zone = await storageZone(cli, choice);
      const { body } = await cli.call(contract.updateMero, { params: { zone }, body: { set } });
      cli.show(body, () => body.results.map(({ fid, because }) => `${fid} ${because}\n`).join(''));
    });
  const [process, service] = ['0x7200000000000001:0x2d', '0x7300000000000001:0x2e'];
  examples(
    command,
    cli.terminal.name,
    [`mero update --set ${process}@offline`],
    [`mero update --set ${process}@failed:disk --set ${service}@failed`],
  );
};

/** One more `FID@STATE`. */
function setting(text: string, before: readonly Setting[] = []): Setting[] {
  const at = text.indexOf('@');
  const fid = Fid.safeParse(text.slice(0, Math.max(0, at)));
  if (!fid.success || at === text.length - 1)
    throw new InvalidArgumentError('It must be a fid and a state, such as 0x7200000000000001:0x2d@offline.');
  return [...before, { fid: fid.data, state: text.slice(at + 1) }];
}
