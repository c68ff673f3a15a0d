import { contract } from '../../../../../lib/contract.ts';
import type { MeroRole } from '../../../../../lib/mero/facts/roles/mero-role.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { textOf } from '../../../reading.ts';
import { counted, findingsText } from '../../facts/reading.ts';
import { isMeroMap, meroRolesOfMap } from '../../facts/role-maps.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';

/** `mero role put`: roles of an operator's own. */
export const put: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('put'))
    .description(
      'Put Mero roles into the catalogue, where they may replace roles that come with Muster. The file has one or several roles, as mero role show prints them, or is a role map of Halon. Existing processes stay as they are',
    )
    .requiredOption('-f, --file <file>', 'the roles, YAML or JSON, or a role map; - reads standard input')
    .action(async ({ file, ...options }: ZoneChoice & { readonly file: string }) => {
      const roles = await rolesIn(cli, file);
      const zone = await storageZone(cli, options);
      const done: { readonly role: string; readonly because: string }[] = [];
      for (const { name, ...body } of roles) {
        const { because } = (await cli.call(contract.putMeroRole, { params: { zone, role: name }, body })).body;
        done.push({ role: name, because });
      }
      cli.show(done, () => done.map(({ because }) => `${because}\n`).join(''));
    });
  examples(command, cli.terminal.name, ['mero role put -f s3server.yaml'], ['mero role put -f mero_role_mappings', 'a role map of Halon']);
};

/** The roles of a file. Throws a {@link Failure} after printing what is wrong with it. */
async function rolesIn(cli: Cli, file: string): Promise<readonly MeroRole[]> {
  const text = await textOf(cli, file);
  const [{ readText }, { MeroRole }] = await Promise.all([
    import('../../../../../lib/mero/facts/text/text.ts'),
    import('../../../../../lib/mero/facts/roles/mero-role.ts'),
  ]);
  if (isMeroMap(text)) {
    const roles = await meroRolesOfMap(file, text);
    return 'findings' in roles ? refuse(cli, roles.findings) : roles;
  }
  const read = await readText(text);
  if (!read.ok) return refuse(cli, [{ file, ...read }]);
  const given = Array.isArray(read.value) ? read.value : [read.value];
  const findings = given.flatMap((role, n) => {
    const { error } = MeroRole.safeParse(role);
    const at = Array.isArray(read.value) ? [n] : [];
    return (error?.issues ?? []).map(({ path, message }) => ({ path: [...at, ...path], says: message }));
  });
  if (findings.length > 0)
    return refuse(
      cli,
      findings.map((defect) => ({ file, place: read.placeOf(defect.path), defect, says: defect.says })),
    );
  return given as readonly MeroRole[];
}

async function refuse(cli: Cli, findings: Parameters<typeof findingsText>[0]): Promise<never> {
  cli.say((await findingsText(findings)).trimEnd());
  throw new Failure(exitCodes.failed, `${counted(findings.length, 'defect')}: nothing is put`);
}
