import { writeFileSync } from 'node:fs';
import type { Converted } from '../../../../lib/mero/facts/convert/convert.ts';
import type { RoleMap } from '../../../../lib/mero/facts/convert/role-map.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { textOf } from '../../reading.ts';
import { halonRolesIn } from './halon-roles.ts';
import { counted, type Finding, findingsText, heldIn, located } from './reading.ts';
import { isMeroMap, meroRolesOfMap } from './role-maps.ts';

type Options = { roles?: string; output?: string; secrets?: string };
type Made = Extract<Converted, { ok: true }>;
/** The result of a conversion: a file, notes about it, and the passwords that the file only names. */
type Delivered = Pick<Made, 'notes' | 'secrets'> & { readonly file: object };

/** `facts convert`: a facts file of any earlier form becomes one of the present form. It calls no deployment. */
export const convert: Verb = (noun, cli) => {
  const command = noun
    .command('convert')
    .description(
      'Convert a facts file of an earlier form, with its role map, to the present form, or a role map by itself to the roles of a catalogue. The command lists what it changes or leaves out',
    )
    .argument('<file>', 'the old facts, YAML or JSON, or a map of Mero or Halon roles; - reads standard input')
    .option('--roles <file>', 'the role map of the facts, a template; without it the roles that come with Muster')
    .option('-o, --output <file>', 'write the new facts to this new file instead of printing them')
    .option('--secrets <file>', 'write the passwords of the facts to this new file, as JSON that only you may read')
    .action((old: string, options: Options) => convertFile(cli, old, options));
  examples(
    command,
    cli.terminal.name,
    ['facts convert halon_facts.yaml --roles mero_role_mappings -o facts.yaml --secrets facts.secrets.json'],
    ['facts convert halon_facts.yaml > facts.yaml', 'its roles are those that come with Muster'],
    ['facts convert halon_role_mappings --secrets roles.secrets.json > halon-roles.yaml', 'for halon role put'],
  );
};

async function convertFile(cli: Cli, old: string, { roles, output, secrets }: Options): Promise<void> {
  if (old === '-' && roles === '-') throw new Failure(exitCodes.usage, 'standard input can be the facts or the roles, not both');
  const text = await textOf(cli, old);
  if (isMeroMap(text)) {
    const made = await meroRolesOfMap(old, text);
    return 'findings' in made ? refuse(cli, made.findings) : deliver(cli, { file: made, notes: [], secrets: [] }, output, secrets);
  }
  const read = await heldIn(old, text);
  if (!read.ok) return refuse(cli, [read]);
  if (Array.isArray(read.value)) {
    const made = await halonRolesIn(cli, read);
    return made.ok ? deliver(cli, { file: made.roles, notes: [], secrets: made.secrets }, output, secrets) : refuse(cli, made.findings);
  }
  const map = await roleMap(cli, roles);
  if ('findings' in map) return refuse(cli, map.findings);
  const { convertFacts } = await import('../../../../lib/mero/facts/convert/convert.ts');
  const converted = await convertFacts(read.value, map.roles, progressOn(cli));
  if (!converted.ok) {
    const inRoles = converted.roleDefects.map((defect) => ({ file: roles ?? 'the roles that come with Muster', ...defect }));
    return refuse(cli, [...inRoles, ...located(read, converted.defects)]);
  }
  await deliver(cli, converted, output, secrets);
}

async function roleMap(cli: Cli, file: string | undefined): Promise<{ roles: RoleMap } | { findings: Finding[] }> {
  if (file === undefined) {
    const { defaultMeroRoles, roleMapOf } = await import('../../../../lib/mero/facts/roles/mero-defaults.ts');
    return { roles: roleMapOf(defaultMeroRoles()) };
  }
  const { readRoleMap } = await import('../../../../lib/mero/facts/convert/role-map.ts');
  const map = await readRoleMap(await textOf(cli, file));
  return 'says' in map ? { findings: [{ file, ...map }] } : { roles: map };
}

/** Shows every hundredth server, on a terminal that can replace a line. */
function progressOn({ terminal: { rewrites, err } }: Cli): (done: number, all: number) => void {
  if (!rewrites) return () => undefined;
  return (done, all) => {
    if (all >= 100 && (done % 100 === 0 || done === all)) err(`\r\u001b[2K${done < all ? `${done} of ${all} servers` : ''}`);
  };
}

async function refuse(cli: Cli, findings: readonly Finding[]): Promise<never> {
  cli.say((await findingsText(findings)).trimEnd());
  throw new Failure(exitCodes.failed, `${counted(findings.length, 'defect')}: nothing is converted`);
}

/** The secrets are written first: without them the new file would refer to secrets that do not exist. */
async function deliver(cli: Cli, { file, notes, secrets }: Delivered, output: string | undefined, secretsFile: string | undefined) {
  const [{ writeText }, { noteText }] = await Promise.all([
    import('../../../../lib/mero/facts/text/write.ts'),
    import('../../../../lib/mero/facts/convert/talk.ts'),
  ]);
  for (const note of notes) cli.say(printable(noteText(note)));
  await deliverSecrets(cli, secrets, secretsFile);
  if (output === undefined) cli.show(file, () => writeText(file));
  else writeNew(output, writeText(file), 0o644);
}

/** Writes passwords to the file that is given, or prints that they are left out. */
export async function deliverSecrets(cli: Cli, secrets: Made['secrets'], file: string | undefined): Promise<void> {
  if (file !== undefined) await writeSecrets(cli, secrets, file);
  else if (secrets.length > 0) cli.say(`${counted(secrets.length, 'password')} left out: --secrets FILE writes them under their names`);
}

/**
 * Writes secrets by their names as JSON that the owner of the file alone may read. A file that holds just these stays.
 * Throws a {@link Failure} for another.
 */
export async function writeSecrets(cli: Cli, secrets: Made['secrets'], file: string): Promise<void> {
  const text = `${JSON.stringify(Object.fromEntries(secrets.map(({ name, value }) => [name, value])), undefined, 2)}\n`;
  if ((await cli.terminal.read(file)) === text) return;
  writeNew(file, text, 0o600);
  cli.say(`${counted(secrets.length, 'secret')} written to ${printable(file)}`);
}

function writeNew(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Failure(exitCodes.usage, `${file} exists already`, 'Give a new file');
    if (typeof code !== 'string') throw error;
    throw new Failure(exitCodes.usage, `${file} cannot be written (${code})`);
  }
}
