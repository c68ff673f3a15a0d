import { contract } from '../../../../lib/api/contract.ts';
import { HalonRole } from '../../../../lib/facts/roles/halon-role.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { counted, readFile, shownFindings } from '../../facts/reading.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../../mero/zone.ts';

/** `halon role put`: Halon roles of an operator's own. */
export const put: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('put'))
    .description('Put Halon roles into the catalogue, also in the place of those that come with Muster. The file has one or several')
    .requiredOption('-f, --file <file>', 'the roles, YAML or JSON; - reads standard input')
    .action(async ({ file, ...options }: ZoneChoice & { readonly file: string }) => {
      const read = await readFile(cli, file);
      const given = read.ok ? [read.value].flat() : [];
      const roles = given.map((role) => HalonRole.safeParse(role));
      const defects = roles.flatMap(({ error }, n) =>
        (error?.issues ?? []).map(({ path, message }) => ({ path: [n, ...path], says: message })),
      );
      const findings = read.ok ? defects.map((defect) => ({ file, defect, says: defect.says })) : [read];
      if (findings.length > 0) {
        cli.say((await shownFindings(findings)).trimEnd());
        throw new Failure(exitCodes.failed, `${counted(findings.length, 'defect')}: nothing is put`);
      }
      const zone = await storageZone(cli, options);
      const done: { readonly role: string; readonly because: string }[] = [];
      for (const { data } of roles) {
        const { name, ...body } = data!;
        done.push({ role: name, because: (await cli.call(contract.putHalonRole, { params: { zone, role: name }, body })).body.because });
      }
      cli.show(done, () => done.map(({ because }) => `${because}\n`).join(''));
    });
  examples(command, cli.terminal.name, ['halon role put -f watchers.yaml']);
};
