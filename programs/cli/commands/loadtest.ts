import { InvalidArgumentError, Option } from 'commander';
import { withBearer } from '../../../lib/api/bearer.ts';
import { apiClient } from '../../../lib/api/client.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { dayMs, secondMs } from '../../../lib/core/time.ts';
import { isLoopback } from '../../../lib/machine/endpoint.ts';
import type { Ran } from '../../loadtest/run.ts';
import { faultOfOutages, type Outage, readOutage } from '../../loadtest/schedule.ts';
import { count, spanMs, zoneOption } from '../arguments.ts';
import { bearerFor } from '../bearer.ts';
import type { Cli, Verb } from '../cli.ts';
import { wantPrivate } from '../endpoint.ts';
import { exitCodes, Failure, failureOf } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { Interrupted } from '../terminal.ts';
import { liveLine } from './live-line.ts';
import { reportText } from './loadtest-report.ts';

type Options = {
  readonly nodes: number;
  readonly clients: number;
  readonly rate: number;
  readonly for: number;
  readonly fail: readonly Outage[];
  readonly connections: number;
  readonly bears?: number;
  readonly zone?: ZoneName;
  readonly report?: string;
  readonly keep?: true;
  readonly allowRemote?: true;
};

/** Some thousand agents and half a million daemons are what the memory of one process holds. */
const most = { nodes: 5_000, clients: 500_000, rate: 5_000, connections: 1_024 } as const;

/** `loadtest`: real agents and daemons against a deployment, and a report of how it answered. */
export const loadtest: Verb = (noun, cli) => {
  const command = noun
    .command('loadtest')
    .description(
      'Load a deployment with real node agents and client daemons, all in this process, let some nodes fail, and report how it answered. The command removes at the end what it registered',
    )
    .addOption(new Option('--nodes <n>', 'number of nodes').argParser(within(1, most.nodes)).default(10))
    .addOption(new Option('--clients <n>', 'number of client systems').argParser(within(0, most.clients)).default(1_000))
    .addOption(new Option('--rate <n>', 'number of client systems that start each second').argParser(within(1, most.rate)).default(50))
    .addOption(new Option('--for <span>', 'how long it runs, a day at most').argParser(lasting).default(300 * secondMs, '5m'))
    .addOption(
      new Option('--fail <failure>', 'nodes that fall silent and come back, such as at=60s,nodes=10,for=120s; may be given several times')
        .argParser(outages)
        .default([], 'none'),
    )
    .addOption(new Option('--connections <n>', 'number of calls under way at once').argParser(within(2, most.connections)).default(64))
    .addOption(
      new Option(
        '--bears <n>',
        'how many client systems the server of each node registers a second, such as 0.5; without it any number. Where rates of the zone adapt, they follow that',
      ).argParser(perSecond),
    )
    .addOption(zoneOption('the zone to use, created if it does not exist; without it a new zone'))
    .option('--report <folder>', 'write report.json and report.html to this folder')
    .option('--keep', 'keep nodes, client systems and the zone at the end')
    .option('--allow-remote', 'load a deployment that is not on this machine')
    .action((options: Options) => load(cli, options));
  examples(
    command,
    cli.terminal.name,
    ['loadtest --nodes 20 --clients 2000 --rate 100 --for 2m --report out'],
    ['loadtest --nodes 50 --clients 5000 --fail at=60s,nodes=5,for=90s', 'five nodes fall silent for a while'],
  );
};

/** A whole number between two others. */
const within = (low: number, high: number) => (text: string) => {
  const value = count(text);
  if (value < low || value > high) throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  return value;
};

/** How many a server registers a second: from one in a quarter of an hour to a thousand. */
function perSecond(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0.001 && value <= 1_000)) throw new InvalidArgumentError('It must be a number from 0.001 to 1000.');
  return value;
}

function lasting(text: string): number {
  const ms = spanMs(text);
  if (ms < secondMs || ms > dayMs) throw new InvalidArgumentError('It must be from 1s to 1d.');
  return ms;
}

function outages(text: string, before: readonly Outage[]): Outage[] {
  const outage = readOutage(text);
  if (!outage) throw new InvalidArgumentError('It must be of the form at=60s,nodes=10,for=120s.');
  return [...before, outage];
}

async function load(cli: Cli, options: Options): Promise<void> {
  const endpoint = cli.endpoint();
  refuseNonsense(endpoint, options, cli);
  // Agents and daemons are loaded by this command alone.
  const [{ runLoad }, { faultOfFolder, writeReport }, { Refused }] = await Promise.all([
    import('../../loadtest/run.ts'),
    import('../../loadtest/files.ts'),
    import('../../loadtest/registration.ts'),
  ]);
  const fault = options.report === undefined ? undefined : faultOfFolder(options.report);
  if (fault !== undefined) throw new Failure(exitCodes.usage, `cannot write to ${options.report} (${fault})`);
  const { nodes, clients, rate, connections, bears, for: forMs, fail: failures, zone } = options;
  const admin = apiClient(endpoint, { fetching: withBearer(() => bearerFor(endpoint, cli.terminal, cli.insecure())) });
  const stop = new AbortController();
  const line = liveLine(cli.terminal);
  const released = cli.terminal.onInterrupt(() => stop.abort());
  try {
    const ran = await runLoad(
      { nodes, clients, rate, connections, forMs, failures: [...failures], ...(bears !== undefined && { bears }), ...(zone && { zone }) },
      { endpoint, admin, stop: stop.signal, progress: line.progress },
    ).catch((error: unknown) => {
      throw error instanceof Refused ? failureOf(error.problem) : error;
    });
    line.end();
    released();
    if (options.report !== undefined) cli.say(`written: ${writeReport(options.report, ran.report).join(', ')}`);
    cli.show(ran.report, () => reportText(cli, ran.report));
    await clearAway(cli, ran, options);
  } finally {
    released();
  }
  if (stop.signal.aborted) throw new Interrupted('Ctrl-C');
}

function refuseNonsense(endpoint: string, { allowRemote, fail, nodes, for: forMs }: Options, cli: Cli): void {
  if (!isLoopback(endpoint) && !allowRemote)
    throw new Failure(exitCodes.usage, `${endpoint} is not on this machine`, 'Give --allow-remote if you may load it');
  // What a load test makes there are secrets that let machines in.
  wantPrivate(endpoint, cli.insecure());
  const fault = faultOfOutages(fail, { nodes, forMs });
  if (fault !== undefined) throw new Failure(exitCodes.usage, fault);
}

/** Takes back what is this run's own, after its report is safe. Throws a {@link Failure} when something is left. */
async function clearAway(cli: Cli, { report, close, remove }: Ran, { keep }: Options): Promise<void> {
  if (!keep) cli.say('removing what was registered; Ctrl-C leaves the rest');
  const left = await (keep ? close() : remove());
  for (const one of left) cli.say(one);
  if (keep) cli.say(`kept: the nodes and client systems of zone ${report.configuration.zone}`);
  if (left.length > 0) throw new Failure(exitCodes.failed, `${left.length} of the registered things could not be removed`);
}
