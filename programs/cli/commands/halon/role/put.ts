import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { deliverSecrets } from '../../facts/convert.ts';
import { readHalonRoles } from '../../facts/halon-roles.ts';
import { counted, findingsText } from '../../facts/reading.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../../mero/zone.ts';

type Options = ZoneChoice & { readonly file: string; readonly secrets?: string };

/** `halon role put`: Halon roles of an operator's own. */
export const put: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('put'))
    .description(
      'Put Halon roles into the catalogue, where they may replace roles that come with Muster. The file has one or several roles, or is a role map of Halon, whose passwords become names of secrets',
    )
    .requiredOption('-f, --file <file>', 'the roles, YAML or JSON, or a role map; - reads standard input')
    .option('--secrets <file>', 'write the passwords in a role map to this new file, as JSON that only you may read')
    .action(async ({ file, secrets, ...options }: Options) => {
      const read = await readHalonRoles(cli, file);
      if (!read.ok) {
        cli.say((await findingsText(read.findings)).trimEnd());
        throw new Failure(exitCodes.failed, `${counted(read.findings.length, 'defect')}: nothing is put`);
      }
      const zone = await storageZone(cli, options);
      await deliverSecrets(cli, read.secrets, secrets);
      const done: { readonly role: string; readonly because: string }[] = [];
      for (const { name, ...body } of read.roles)
        done.push({ role: name, because: (await cli.call(contract.putHalonRole, { params: { zone, role: name }, body })).body.because });
      cli.show(done, () => done.map(({ because }) => `${because}\n`).join(''));
    });
  examples(
    command,
    cli.terminal.name,
    ['halon role put -f watchers.yaml'],
    ['halon role put -f halon_role_mappings --secrets roles.secrets.json', 'a role map of Halon'],
  );
};
