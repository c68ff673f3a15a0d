import { hostname } from 'node:os';
import { type StationsView, stationsMax } from '../../../lib/api/admin-station-routes.ts';
import { contract } from '../../../lib/api/contract.ts';
import { Fqdn } from '../../../lib/ids.ts';
import { as } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { dated } from '../../output/moments.ts';
import type { ZoneChoice } from '../mero/zone.ts';
import { inServiceZone, serviceZone } from '../service/zone.ts';
import { hostsIn } from './hosts-file.ts';

type Given = ZoneChoice & {
  readonly hostsFrom?: string;
  readonly attribute?: string;
  readonly self?: true | Fqdn;
  readonly update?: true;
  readonly none?: true;
};

const aHost = as(Fqdn, 'a fully qualified name');
const more = (text: string, before: readonly Fqdn[] = []): Fqdn[] => [...before, aHost(text)];

/** `halon station`: which hosts of a zone see and act on site; without any, which they are. */
export const station: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('station'))
    .argument('[host...]', 'their fully qualified names; three or five are advised', more)
    .description(
      'Name the stations of a zone: hosts that see the others from inside the site. The same list again changes nothing; without hosts it says which they are. A host may be named before it is a node',
    )
    .option('--hosts-from <file>', 'take them from a file: one name a line, or a genders file with --attribute; - reads standard input')
    .option('--attribute <name>', 'of a genders file, those that have this attribute, such as tracking_station')
    .option('--self [host]', 'run by each host at its boot: says nothing where the file does not name this host', aHost)
    .option('--update', 'change the set, while a majority of the old one is heard')
    .option('--none', 'with --update: the zone is to have no stations any more')
    .action(async (args: readonly Fqdn[] | undefined, given: Given) => run(cli, args ?? [], given));
  examples(
    command,
    cli.terminal.name,
    ['halon station ts1.acme.org ts2.acme.org ts3.acme.org'],
    ['halon station --self --hosts-from /etc/genders --attribute tracking_station', 'on each host, when it boots'],
    ['halon station --update ts1.acme.org ts2.acme.org ts4.acme.org'],
    ['halon station'],
  );
};

async function run(cli: Cli, args: readonly Fqdn[], given: Given): Promise<void> {
  const hosts = hostsOf(cli, args, given);
  const self = selfOf(given);
  if (self !== undefined && hosts && !hosts.includes(self)) {
    cli.show({ host: self, done: false }, () => `${self} is no station\n`);
    return;
  }
  const zone = await serviceZone(cli, given);
  if (hosts === undefined) {
    const { body } = await cli.call(contract.getStations, { params: { zone } });
    return cli.show(body, () => shownStations(cli, body));
  }
  const { body } = await cli.call(contract.putStations, {
    params: { zone },
    body: { hosts: [...hosts], ...(given.update && { update: true }), ...(self !== undefined && { self: true }) },
  });
  cli.show(body, () => `${body.because}\n${shownStations(cli, body)}`);
}

/** The hosts that are named, by the arguments or by the file; undefined when none are. Throws a {@link Failure} for what goes with nothing else, or cannot be read. */
function hostsOf(cli: Cli, args: readonly Fqdn[], { hostsFrom, attribute, self, update, none }: Given): readonly Fqdn[] | undefined {
  if (none) {
    if (!update || args.length > 0 || hostsFrom !== undefined) throw wrong('--none goes with --update, and with no hosts');
    return [];
  }
  if (attribute !== undefined && hostsFrom === undefined) throw wrong('--attribute goes with --hosts-from');
  if (self !== undefined && hostsFrom === undefined) throw wrong('--self goes with --hosts-from: every host must name the same list');
  if (hostsFrom === undefined) {
    if (args.length === 0 && update) throw wrong('name the hosts of the new set, or --none');
    return args.length === 0 ? undefined : tooMany(args);
  }
  if (args.length > 0) throw wrong('name the hosts, or a file of them');
  const text = cli.terminal.read(hostsFrom);
  if (text === undefined) throw new Failure(exitCodes.failed, `there is no file ${hostsFrom}`);
  const read = hostsIn(text, attribute);
  for (const { line, says } of read.defects) cli.say(`${hostsFrom}:${line}: ${says}`);
  if (read.defects.length > 0) throw new Failure(exitCodes.failed, `${hostsFrom} cannot be read: nothing is named`);
  if (read.hosts.length === 0) throw new Failure(exitCodes.failed, `${hostsFrom} names no host`);
  return tooMany(read.hosts);
}

function tooMany(hosts: readonly Fqdn[]): readonly Fqdn[] {
  if (hosts.length > stationsMax) throw wrong(`a zone has at most ${stationsMax} stations, and these are ${hosts.length}`);
  return hosts;
}

function selfOf({ self }: Given): Fqdn | undefined {
  if (self !== true) return self;
  const own = Fqdn.safeParse(hostname());
  if (!own.success) throw wrong(`this host calls itself ${hostname()}, which is not fully qualified: say --self <name>`);
  return own.data;
}

const wrong = (says: string): Failure => new Failure(exitCodes.usage, says);

function shownStations(cli: Cli, { zone, stations, quorum, coordinator, epoch }: StationsView): string {
  if (stations.length === 0) return `zone ${zone} has no stations\n`;
  const now = cli.terminal.now();
  const lines = stations.map(({ host, heard, heardAt, hears }) => {
    const told = heardAt === undefined ? 'never heard' : `${heard ? 'heard' : 'not heard since'} ${dated(heardAt, now)}`;
    const sees = hears ? `, hears ${hears.nodes} nodes` : '';
    return `  ${host}${host === coordinator?.host ? ' (RC)' : ''}: ${told}${sees}\n`;
  });
  const majority = quorum.quorate ? 'a majority is heard' : 'no quorum';
  const leads = coordinator
    ? `; ${coordinator.host} coordinates, epoch ${coordinator.epoch}`
    : epoch > 0
      ? `; the last epoch was ${epoch}`
      : '';
  return `${majority}: ${quorum.heard} of ${stations.length}, ${quorum.needed} needed${leads}\n${lines.join('')}`;
}
