import { contract } from '../../../lib/api/contract.ts';
import type { Facts } from '../../../lib/facts/facts.ts';
import type { ZoneName } from '../../../lib/ids.ts';
import { spanMs } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { counted } from '../facts/reading.ts';
import { countsOf, shownCounts } from '../facts/validate.ts';
import { besideOf, halonRolesOf, leftBeside, missingHosts } from './bootstrapping.ts';
import { checkedFile, loadChecked, ofFacts, refuseUnknownRoles } from './load.ts';
import { notStarted, startedText, waitStarted } from './start.ts';
import { timeoutOption } from './waiting.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & {
  readonly file: string;
  readonly secrets?: string;
  readonly dryRun?: true;
  readonly async?: true;
  readonly wait: number;
  readonly timeout: number;
};

/** `mero bootstrap`: from a facts file to a cluster that runs. */
export const bootstrap: Verb = (noun, cli) => {
  const command = ofFacts(inStorageZone(noun.command('bootstrap')))
    .description('Bring up a storage cluster: look at its facts, wait for its hosts, load the facts, and start it. Any number of times')
    .option('-n, --dry-run', 'only say what would be done')
    .option('-a, --async', 'do not wait until the cluster has started')
    .option('--wait <span>', 'how long to wait for hosts that have not called in; the others go on without them', spanMs, 60_000)
    .addOption(timeoutOption('start'))
    .action((options: Options) => bootstrapFile(cli, options));
  examples(
    command,
    cli.terminal.name,
    ['mero bootstrap -f facts.yaml'],
    ['mero bootstrap -f facts.yaml -n', 'what would be done'],
    ['mero bootstrap -f facts.yaml --async'],
  );
};

async function bootstrapFile(cli: Cli, options: Options): Promise<void> {
  const checked = await checkedFile(cli, options);
  cli.say('Initial data file parsed successfully.');
  const zone = await storageZone(cli, options);
  const { facts, expansion } = checked.good;
  const roles = await halonRolesOf(cli, zone);
  await refuseUnknownRoles(cli, checked, roles);
  const left = leftBeside(besideOf(facts, roles));
  if (options.dryRun) return showPlan(cli, zone, options, { facts, counts: shownCounts(countsOf(expansion)), left });
  for (const one of left) cli.say(`Left undone: ${one}`);
  const missing = await missingHosts(cli, zone, facts, options.wait);
  const unheard = missing.length > 0 ? [`hosts that have not called in: ${missing.join(', ')}`] : [];
  for (const one of unheard) cli.say(`Left undone: ${one}`);
  const { load, wasThere } = await loadChecked(cli, zone, checked);
  const { body: said } = await cli.call(contract.startMero, { params: { zone }, body: {} });
  const waited = options.async ? undefined : await waitStarted(cli, zone, options.timeout);
  const undone = [...left, ...unheard];
  const value = {
    zone,
    load,
    wasThere,
    undone,
    started: waited ? waited.ended === 'done' : null,
    because: waited?.status.because ?? said.because,
  };
  cli.show(value, () => (waited ? startedText(waited) : `${said.because}\n`));
  const failure = waited && notStarted(waited);
  if (failure) throw failure;
  if (undone.length > 0)
    throw new Failure(exitCodes.failed, `${counted(undone.length, 'thing')} left undone`, 'Do it, and repeat the command');
}

type Planned = { readonly facts: Facts; readonly counts: string; readonly left: readonly string[] };

/** What would be done, as commands that do it one by one. */
async function showPlan(cli: Cli, zone: ZoneName, { file }: Options, { facts, counts, left }: Planned): Promise<void> {
  const missing = await missingHosts(cli, zone, facts, 0);
  const { name } = cli.terminal;
  const commands = [`${name} mero load -f ${file} --zone ${zone}`, `${name} mero start --zone ${zone}`];
  const value = { zone, commands, hosts: facts.id_m0_servers.length, missing, undone: left };
  const lines = [
    ...left.map((one) => `# left undone: ${one}`),
    `# ${facts.id_m0_servers.length - missing.length} of ${counted(facts.id_m0_servers.length, 'host')} have called in`,
    ...missing.map((host) => `# waits for ${host}`),
    `# ${counts}`,
    ...commands,
  ];
  cli.show(value, () => lines.map((line) => `${line}\n`).join(''));
}
