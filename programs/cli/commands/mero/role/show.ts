import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';

/** `mero role show`: one role as a file that can be put. */
export const show: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('show'))
    .argument('<role>', 'its name')
    .description('A Mero role as YAML, as mero role put takes it')
    .action(async (name: string, options: ZoneChoice) => {
      const { items } = (await cli.call(contract.listMeroRoles, { params: { zone: await storageZone(cli, options) } })).body;
      const found = items.find(({ role }) => role.name === name);
      if (!found) throw new Failure(exitCodes.failed, `there is no Mero role ${name}`, 'See which there are: mero role list');
      const { writeText } = await import('../../../../../lib/mero/facts/text/write.ts');
      cli.show(found.role, () => writeText([found.role]));
    });
  examples(command, cli.terminal.name, ['mero role show s3server > s3server.yaml']);
};
