import { hostname } from 'node:os';
import { contract } from '../../../../lib/contract.ts';
import { Fqdn, type ZoneName } from '../../../../lib/core/ids.ts';
import { type StationsView, stationsMax } from '../../../../lib/stations/routes.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { dated } from '../../output/moments.ts';
import { type ZoneChoice, zonesSeen } from '../mero/zone.ts';
import { inServiceZone, serviceZone } from '../service/zone.ts';
import { aHost, type HostsFile, hostsGiven, moreHosts, withHostsFile } from './hosts-given.ts';
import { powerText, siteOrdersOf } from './site-orders.ts';
import { type StartOptions, showPlanned, waitDefaultMs, withStart } from './start-options.ts';
import { showOutcomes, startHosts } from './starting.ts';
import { withPower } from './station-power.ts';

type Given = ZoneChoice &
  HostsFile &
  StartOptions & {
    readonly self?: true | Fqdn;
    readonly update?: true;
    readonly none?: true;
    readonly reset?: true;
  };

/** `halon station`: which hosts of a zone see and act on site; without any, which they are. */
export const station: Verb = (noun, cli) => {
  const command = withStart(withHostsFile(inServiceZone(noun.command('station'))))
    .argument('[host...]', 'the names of the hosts; three or five are advised', moreHosts)
    .description(
      'Name the stations of a zone: hosts that see the others from inside the site. Naming the same hosts again changes nothing. Without hosts, the command shows the stations. You can name a host before it is a node',
    )
    .option('--self [host]', 'for each host to run at its boot: does nothing where the file does not name this host', aHost)
    .option('-u, --update', 'change the set; a majority of the old set must be heard')
    .option('--none', 'with --update: leave the zone without stations')
    .option('--reset', 'for emergencies: give up the stations although no majority of them is heard. Asks first, unless --yes')
    .action(async (args: readonly Fqdn[] | undefined, given: Given) => run(cli, args ?? [], given));
  withPower(command, cli);
  examples(
    command,
    cli.terminal.name,
    ['halon station ts1.acme.org ts2.acme.org ts3.acme.org'],
    ['halon station --self --hosts-from /etc/genders --attribute tracking_station', 'on each host, when it boots'],
    ['halon station --hosts-from /etc/stations --ssh', 'and start their agents by ssh'],
    ['halon station --update ts1.acme.org ts2.acme.org ts4.acme.org'],
    ['halon station --reset --yes', 'when a majority never comes back'],
    ['halon station'],
  );
};

async function run(cli: Cli, args: readonly Fqdn[], given: Given): Promise<void> {
  if (given.reset) return reset(cli, args, given);
  const hosts = await hostsOf(cli, args, given);
  const self = selfOf(given);
  if (self !== undefined && hosts && !hosts.includes(self)) {
    cli.show({ host: self, done: false }, () => `${self} is not a station\n`);
    return;
  }
  const zone = await serviceZone(cli, given);
  if (hosts === undefined) {
    const [{ body }, orders] = await Promise.all([cli.call(contract.getStations, { params: { zone } }), siteOrdersOf(cli, zone)]);
    return cli.show(body, () => `${stationsText(cli, body)}${powerText(cli, orders)}`);
  }
  if (given.dryRun) return showPlan(cli, zone, hosts, given);
  const { body } = await cli.call(contract.putStations, {
    params: { zone },
    body: { hosts: [...hosts], ...(given.update && { update: true }), ...(self !== undefined && { self: true }) },
  });
  if (!given.ssh) return cli.show(body, () => `${body.because}\n${stationsText(cli, body)}`);
  cli.say(body.because);
  const waitMs = given.wait ?? waitDefaultMs;
  const outcomes = await startHosts(cli, {
    zone,
    kind: await kindIn(cli, zone),
    hosts,
    template: given.ssh,
    waitMs,
    anyWatch: given.anyWatch === true,
  });
  const failure = showOutcomes(cli, zone, outcomes);
  if (failure) throw failure;
}

/** Gives the stations of a zone up. Throws a {@link Failure} for options that cannot go with that. */
async function reset(cli: Cli, args: readonly Fqdn[], given: Given): Promise<void> {
  const { hostsFrom, self, update, none, ssh, dryRun } = given;
  if (args.length > 0 || [hostsFrom, self, update, none, ssh, dryRun].some((one) => one !== undefined))
    throw wrong('--reset goes with --zone only: name the next set afterwards');
  const zone = await serviceZone(cli, given);
  await cli.confirm(`Give up the stations of zone ${zone}? They may still act.`);
  const { body } = await cli.call(contract.resetStations, { params: { zone }, body: {} });
  cli.show(body, () => `${body.because}\n${stationsText(cli, body)}`);
}

/** The kind of the hosts of a zone: storage, or Uyuni, as agents have it by default. */
const kindIn = async (cli: Cli, zone: ZoneName): Promise<'storage' | 'uyuni'> =>
  (await zonesSeen(cli)).find(({ name }) => name === zone)?.kind === 'storage' ? 'storage' : 'uyuni';

/** Shows what would be done: the set that would be named, and the start of the agents of those that are not there. */
async function showPlan(cli: Cli, zone: ZoneName, hosts: readonly Fqdn[], { ssh: template }: Given): Promise<void> {
  cli.say(`the stations of zone ${zone} would be ${hosts.join(', ') || 'none'}`);
  await showPlanned(cli, zone, { kind: await kindIn(cli, zone), hosts, template });
}

/**
 * The hosts that are named, by the arguments or by the file; undefined when none are. Throws a {@link Failure} for
 * options that exclude each other, and for a file that cannot be read.
 */
async function hostsOf(cli: Cli, args: readonly Fqdn[], given: Given): Promise<readonly Fqdn[] | undefined> {
  const { hostsFrom, self, update, none, ssh, wait } = given;
  if (none) {
    if (!update || args.length > 0 || hostsFrom !== undefined) throw wrong('--none needs --update, and takes no hosts');
    return [];
  }
  if (self !== undefined && hostsFrom === undefined) throw wrong('--self needs --hosts-from: every host must name the same list');
  if (ssh && self !== undefined)
    throw wrong('--ssh and --self exclude each other: --ssh starts all hosts, and --self runs on each of them');
  if (wait !== undefined && !ssh) throw wrong('--wait needs --ssh: without it the command does not wait');
  const hosts = await hostsGiven(cli, args, given);
  if (hosts.length > 0) return tooMany(hosts);
  if (update) throw wrong('no hosts are given: name those of the new set, or give --none');
  if (ssh || given.dryRun) throw wrong('no hosts are given: name them, or give a file with --hosts-from');
  return undefined;
}

function tooMany(hosts: readonly Fqdn[]): readonly Fqdn[] {
  if (hosts.length > stationsMax) throw wrong(`too many stations: a zone has at most ${stationsMax}, and ${hosts.length} are given`);
  return hosts;
}

function selfOf({ self }: Given): Fqdn | undefined {
  if (self !== true) return self;
  const own = Fqdn.safeParse(hostname());
  if (!own.success) throw wrong(`this host calls itself ${hostname()}, which is not a valid host name: give --self <name>`);
  return own.data;
}

const wrong = (says: string): Failure => new Failure(exitCodes.usage, says);

/** The stations of a zone as lines: whether a majority is heard, the coordinator, and each of them. */
export function stationsText(cli: Cli, { zone, stations, quorum, coordinator, epoch }: StationsView): string {
  if (stations.length === 0) return `zone ${zone} has no stations\n`;
  const now = cli.terminal.now();
  const lines = stations.map(({ host, heard, heardAt, hears }) => {
    const heardText = heardAt === undefined ? 'never heard' : `${heard ? 'heard' : 'not heard since'} ${dated(heardAt, now)}`;
    const sees = hears ? `, hears ${hears.nodes} nodes` : '';
    return `  ${host}${host === coordinator?.host ? ' (RC)' : ''}: ${heardText}${sees}\n`;
  });
  const majority = quorum.quorate ? 'a majority is heard' : 'no quorum';
  const leads = coordinator
    ? `; ${coordinator.host} coordinates, epoch ${coordinator.epoch}`
    : epoch > 0
      ? `; the last epoch was ${epoch}`
      : '';
  return `${majority}: ${quorum.heard} of ${stations.length}, ${quorum.needed} needed${leads}\n${lines.join('')}`;
}
