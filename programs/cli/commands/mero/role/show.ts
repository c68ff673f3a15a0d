import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';

/** `mero role show`: one role as a file that can be put. */
export const show: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('show'))
    .argument('<role>', 'the name of the role')
    .description('Print a Mero role as YAML, for mero role put')
    .action(async (name: string, options: ZoneChoice) => {
      const { items } = (await cli.call(contract.listMeroRoles, { params: { zone: await storageZone(cli, options) } })).body;
      const found = items.find(({ role }) => role.name === name);
      if (!found) throw new Failure(exitCodes.failed, `unknown Mero role ${name}`, 'List the roles: mero role list');
      const { writeText } = await import('../../../../../lib/mero/facts/text/write.ts');
      cli.show(found.role, () => writeText([found.role]));
    });
  examples(command, cli.terminal.name, ['mero role show s3server > s3server.yaml']);
};
