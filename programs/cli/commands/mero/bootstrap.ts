import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import type { Facts } from '../../../../lib/mero/facts/facts.ts';
import { spanMs } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { counted } from '../facts/reading.ts';
import { countsOf, countsText } from '../facts/validate.ts';
import { type StartTemplate, shellWords } from '../halon/start-command.ts';
import { plannedCommands, withSsh } from '../halon/start-options.ts';
import { startHosts } from '../halon/starting.ts';
import {
  type Beside,
  besideCommands,
  besideOf,
  halonRolesOf,
  hostsLeft,
  hostsOfFacts,
  nameStations,
  startServices,
} from './bootstrapping.ts';
import { checkedFile, loadChecked, ofFacts, refuseUnknownRoles } from './load.ts';
import { notStarted, startedText, waitStarted } from './start.ts';
import { timeoutOption } from './waiting.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & {
  readonly file: string;
  readonly secrets?: string;
  readonly dryRun?: true;
  readonly async?: true;
  readonly ssh?: StartTemplate;
  readonly wait: number;
  readonly timeout: number;
};

/** `mero bootstrap`: from a facts file to a cluster that runs. */
export const bootstrap: Verb = (noun, cli) => {
  const command = withSsh(ofFacts(inStorageZone(noun.command('bootstrap'))))
    .description(
      'Bring up a storage cluster: check its facts, name its stations, have its hosts join, start the services of their Halon roles, load the facts, and start it. You can repeat the command; it names the steps that are left undone',
    )
    .option('-n, --dry-run', 'only print what would be done, as commands')
    .option('-a, --async', 'do not wait until services and the cluster have started')
    .addOption(
      new Option('--wait <span>', 'how long to wait for hosts that have not called in, and for services; then the others continue')
        .argParser(spanMs)
        .default(60_000, '1m'),
    )
    .addOption(timeoutOption('start'))
    .action((options: Options) => bootstrapFile(cli, options));
  examples(
    command,
    cli.terminal.name,
    ['mero bootstrap -f facts.yaml'],
    ['mero bootstrap -f facts.yaml -n', 'print what would be done'],
    ['mero bootstrap -f facts.yaml --ssh', 'start the agents of missing hosts by ssh'],
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
  const beside = besideOf(facts, roles);
  if (options.dryRun) return showPlan(cli, zone, options, { facts, beside, counts: countsText(countsOf(expansion)) });
  const undone = await prepared(cli, zone, options, { facts, beside });
  const { load, wasThere } = await loadChecked(cli, zone, checked);
  const { body: reply } = await cli.call(contract.startMero, { params: { zone }, body: {} });
  const waited = options.async ? undefined : await waitStarted(cli, zone, options.timeout);
  const value = {
    zone,
    load,
    wasThere,
    undone,
    started: waited ? waited.ended === 'done' : null,
    because: waited?.status.because ?? reply.because,
  };
  cli.show(value, () => (waited ? startedText(waited) : `${reply.because}\n`));
  const failure = waited && notStarted(waited);
  if (failure) throw failure;
  if (undone.length > 0)
    throw new Failure(exitCodes.failed, `${counted(undone.length, 'step')} left undone`, 'Do what is left, and repeat the command');
}

type Wanted = { readonly facts: Facts; readonly beside: Beside };

/** Does all that comes before the facts: stations, hosts, services. Prints and gives what is left undone, in lines. */
async function prepared(cli: Cli, zone: ZoneName, options: Options, { facts, beside }: Wanted): Promise<string[]> {
  const { ssh: template, wait: waitMs } = options;
  const undone: string[] = [];
  const leave = (lines: readonly string[]): void => {
    for (const one of lines) cli.say(`Left undone: ${one}`);
    undone.push(...lines);
  };
  leave(await nameStations(cli, zone, beside.stations));
  leave(hostsLeft(await startHosts(cli, { zone, kind: 'storage', hosts: hostsOfFacts(facts), template, waitMs })));
  leave(await startServices(cli, zone, beside.services, options.async ? 0 : waitMs));
  return undone;
}

/** Shows what would be done, as commands that do it one by one. */
async function showPlan(
  cli: Cli,
  zone: ZoneName,
  { file, ssh: template }: Options,
  { facts, beside, counts }: Wanted & { readonly counts: string },
): Promise<void> {
  const { name } = cli.terminal;
  const hosts = hostsOfFacts(facts);
  const { there, away, commands: starts } = await plannedCommands(cli, { zone, kind: 'storage', hosts, template });
  const { stations, services } = besideCommands(name, zone, beside);
  const adding = away.length === 0 ? [] : [shellWords([name, 'halon', 'node', 'add', '--zone', zone, ...away])];
  const commands = [
    ...stations,
    ...(template ? starts : adding),
    ...services,
    ...[shellWords([name, 'mero', 'load', '-f', file, '--zone', zone]), shellWords([name, 'mero', 'start', '--zone', zone])],
  ];
  const value = { zone, commands, hosts: hosts.length, missing: away };
  const lines = [`# ${there.length} of ${counted(hosts.length, 'host')} have called in`, `# ${counts}`, ...commands];
  cli.show(value, () => lines.map((line) => `${printable(line)}\n`).join(''));
}
