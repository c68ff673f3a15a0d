import type { Command } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import type { Checked } from '../../../../lib/mero/facts/check/check.ts';
import type { HalonRole } from '../../../../lib/mero/facts/roles/halon-role.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { writeSecrets } from '../facts/convert.ts';
import { counted, findingsText, located, type ReadFile, readFile, sayRemarks } from '../facts/reading.ts';
import { countsOf, countsText } from '../facts/validate.ts';
import { halonRolesOf } from './bootstrapping.ts';
import { dumpedFacts } from './dumping.ts';
import { type Cut, type Loaded, loadFacts, type Progress } from './loading.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & { readonly file: string; readonly verify?: true; readonly secrets?: string; readonly giveUp?: string };
type Good = Extract<Checked, { ok: true }>;
/** Checked facts: their file, their content, and the parts in which they are handed in. */
type CheckedFile = { readonly read: Extract<ReadFile, { ok: true }>; readonly good: Good; readonly cut: Cut };

/** The file of facts when none is given. */
const fileDefault = '/etc/halon/halon_facts.yaml';

/** Adds --file and --secrets to a verb that loads facts. */
export const ofFacts = (command: Command): Command =>
  command
    .option('-f, --file <file>', 'the facts, YAML or JSON; - is standard input', fileDefault)
    .option('--secrets <file>', 'write the passwords in the facts to this new file, under the names that Muster stores instead');

/** `mero load`: loads facts into a storage zone. */
export const load: Verb = (noun, cli) => {
  const command = ofFacts(inStorageZone(noun.command('load')))
    .description(
      'Load facts into a storage zone. Loading the same facts again changes nothing, and an interrupted load continues where it stopped',
    )
    .option('-v, --verify', 'only check whether the facts can be loaded; call nothing')
    .option('--give-up <load>', 'instead, give up the load with this id that is under way, and remove its parts')
    .action((options: Options) => (options.giveUp === undefined ? loadFile(cli, options) : giveUp(cli, options, options.giveUp)));
  examples(
    command,
    cli.terminal.name,
    ['mero load -f facts.yaml'],
    ['mero load -f facts.yaml -v', 'list every defect'],
    ['mero load -f facts.yaml --zone tier1 --secrets facts.secrets.json'],
    ['mero load --give-up 4c1f6f0e-7d7e-4d6c-9d0b-0f1f6f3a2b10', 'a load of other facts that was abandoned'],
  );
};

async function giveUp(cli: Cli, options: Options, load: string): Promise<void> {
  const zone = await storageZone(cli, options);
  const { body } = await cli.call(contract.deleteMeroLoad, { params: { zone, load } });
  cli.show(body, () => `${body.because}\n`);
}

async function loadFile(cli: Cli, options: Options): Promise<void> {
  const checked = await checkedFile(cli, options);
  cli.say('Initial data file parsed successfully.');
  const counts = countsOf(checked.good.expansion);
  if (options.verify) return cli.show({ valid: true, ...counts }, () => `valid: ${countsText(counts)}\n`);
  const zone = await storageZone(cli, options);
  await refuseUnknownRoles(cli, checked, await halonRolesOf(cli, zone));
  const loaded = await loadChecked(cli, zone, checked);
  cli.show({ zone, ...loaded, ...counts }, () => `${loaded.wasThere ? 'there' : 'loaded'}: ${countsText(counts)}\n`);
}

/**
 * Loads checked facts, and shows the progress. Throws a {@link Failure} with the differences when the zone has other
 * facts.
 */
export async function loadChecked(cli: Cli, zone: ZoneName, { good, cut }: Pick<CheckedFile, 'good' | 'cut'>): Promise<Loaded> {
  const line = progressLine(cli);
  const loaded = await loadFacts(cli, zone, cut, line.progress)
    .finally(line.end)
    .catch((error: unknown) => sameFacts(cli, zone, good, error));
  if (loaded.wasThere) cli.say('Initial data is already loaded.');
  return loaded;
}

/** Facts without a defect, cut into parts. Throws a {@link Failure} with all defects, each with its place. */
export async function checkedFile(cli: Cli, options: Pick<Options, 'file' | 'secrets'>): Promise<CheckedFile> {
  const [{ checkFacts }, { cutFacts, plainPassword }] = await Promise.all([
    import('../../../../lib/mero/facts/check/check.ts'),
    import('../../../../lib/mero/facts/load/cut.ts'),
  ]);
  const read = await readFile(cli, options.file);
  if (!read.ok) return undone(cli, [read]);
  const checked = checkFacts(options.secrets === undefined ? read.value : await withoutSecrets(cli, read, options.secrets));
  if (!checked.ok) return undone(cli, located(read, checked.defects));
  await sayRemarks(cli, located(read, checked.remarks));
  const cut = cutFacts(checked.facts, checked.expansion);
  if (cut.ok) return { read, good: checked, cut };
  const advice = cut.defects.some(({ says }) => says === plainPassword) ? '--secrets FILE takes passwords out of the facts' : undefined;
  return undone(cli, located(read, cut.defects), advice);
}

/**
 * Checks that the zone has the Halon roles that the facts name. Throws a {@link Failure} with those that it has not,
 * each with its place.
 */
export async function refuseUnknownRoles(cli: Cli, { read, good }: CheckedFile, roles: readonly HalonRole[]): Promise<void> {
  const { defectsOfHalonRoles } = await import('../../../../lib/mero/facts/check/halon-roles.ts');
  const defects = defectsOfHalonRoles(good.facts, roles);
  if (defects.length > 0) await undone(cli, located(read, defects), 'halon role put adds roles to the catalogue of the zone');
}

async function undone(cli: Cli, findings: Parameters<typeof findingsText>[0], advice?: string): Promise<never> {
  cli.say((await findingsText(findings)).trimEnd());
  throw new Failure(exitCodes.failed, `${counted(findings.length, 'defect')}: nothing is loaded`, advice);
}

/** The same facts with the names of secrets for passwords, which are written where they were asked for. */
async function withoutSecrets(cli: Cli, read: Extract<ReadFile, { ok: true }>, file: string): Promise<unknown> {
  const { withoutPasswords } = await import('../../../../lib/mero/facts/load/passwords.ts');
  const { facts, secrets } = withoutPasswords(read.value);
  await writeSecrets(cli, secrets, file);
  return facts;
}

/**
 * Checks whether a cluster has come to the same facts by another way, so that nothing is left to do. Otherwise prints
 * the differences and throws, or throws the error as it was.
 */
async function sameFacts(cli: Cli, zone: ZoneName, good: Good, error: unknown): Promise<Loaded> {
  if (!(error instanceof Failure) || error.problem !== 'other-facts') throw error;
  const [{ expand }, { differences }] = await Promise.all([
    import('../../../../lib/mero/facts/expand/expand.ts'),
    import('../../../../lib/mero/facts/load/differences.ts'),
  ]);
  const there = expand(await dumpedFacts(cli, zone));
  const differing = there.ok ? differences(good.expansion, there.expansion) : [];
  if (there.ok && differing.length === 0) return { load: 'the one before', wasThere: true };
  for (const one of differing) cli.say(one);
  throw new Failure(
    exitCodes.failed,
    `${error.message}: nothing is loaded`,
    'Facts load only once: afterwards, add and remove processes and nodes',
  );
}

/** The progress as one line of talk; on a terminal alone. */
function progressLine({ terminal }: Cli): { readonly progress: Progress; readonly end: () => void } {
  if (!terminal.rewrites) return { progress: () => undefined, end: () => undefined };
  const width = 30;
  return {
    progress: (done, all) => {
      const full = Math.round((width * done) / Math.max(1, all));
      terminal.err(`\r\u001b[2K[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${done} of ${all} parts`);
    },
    end: () => terminal.err('\r\u001b[2K'),
  };
}
