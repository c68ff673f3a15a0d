import { contract } from '../../../../lib/contract.ts';
import { type Fqdn, ServiceTypeName, type ZoneName } from '../../../../lib/core/ids.ts';
import type { Facts } from '../../../../lib/mero/facts/facts.ts';
import type { HalonRole } from '../../../../lib/mero/facts/roles/halon-role.ts';
import type { ServiceView } from '../../../../lib/services/view-routes.ts';
import type { Cli } from '../../cli.ts';
import { Failure } from '../../exit-codes.ts';
import { printable } from '../../output/printable.ts';
import { collect } from '../../pages.ts';
import { shellWords } from '../halon/start-command.ts';
import type { HostOutcome } from '../halon/starting.ts';
import { lookUntil } from './waiting.ts';

type Configuration = HalonRole['services'][number]['configuration'];
/** A service that a Halon role wants on a host. */
export type WantedService = { readonly host: Fqdn; readonly type: string; readonly configuration: Configuration };
/**
 * What facts require of hosts beside their processes: the hosts that should be stations, and the services on each host.
 */
export type Beside = { readonly stations: readonly Fqdn[]; readonly services: readonly WantedService[] };

/** The Halon roles that hosts of a zone may have. */
export const halonRolesOf = async (cli: Cli, zone: ZoneName): Promise<HalonRole[]> =>
  (await cli.call(contract.listHalonRoles, { params: { zone } })).body.items.map(({ role }) => role);

/** The stations and services that these Halon roles give to the hosts in facts. */
export function besideOf(facts: Facts, catalogue: readonly HalonRole[]): Beside {
  const roles = new Map(catalogue.map((role) => [role.name, role]));
  const asked = rolesIn(facts);
  return {
    stations: [...new Set(asked.flatMap(({ host, role }) => (roles.get(role)?.station ? [host] : [])))],
    services: asked.flatMap(({ host, role }) => (roles.get(role)?.services ?? []).map((service) => ({ host, ...service }))),
  };
}

const rolesIn = ({ id_sites }: Facts): { host: Fqdn; role: string }[] =>
  id_sites
    .flatMap(({ site_racks }) => site_racks.flatMap(({ rack_enclosures }) => rack_enclosures.flatMap(({ enc_hosts }) => enc_hosts)))
    .flatMap(({ h_fqdn, h_halon }) => (h_halon?.roles ?? []).map(({ name }) => ({ host: h_fqdn, role: name })));

/** The hosts of facts that run processes. */
export const hostsOfFacts = ({ id_m0_servers }: Facts): Fqdn[] => id_m0_servers.map(({ m0h_fqdn }) => m0h_fqdn);

/** A refusal in a sentence. Throws any other error, such as that of an unreachable deployment. */
function refusalOf(error: unknown): string {
  if (error instanceof Failure && error.problem !== undefined) return error.message;
  throw error;
}

/** Names the stations; gives what is left undone of that, a line each. */
export async function nameStations(cli: Cli, zone: ZoneName, hosts: readonly Fqdn[]): Promise<string[]> {
  if (hosts.length === 0) return [];
  try {
    const { body } = await cli.call(contract.putStations, { params: { zone }, body: { hosts: [...hosts] } });
    cli.say(printable(body.because));
    return [];
  } catch (error) {
    return [`stations are not named: ${refusalOf(error)}`];
  }
}

/** The hosts that were not started, as a line. */
export function hostsLeft(outcomes: readonly HostOutcome[]): string[] {
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
  const hostTexts = failed.map(({ host, because }) => (because === 'Timeout.' ? host : `${host} (${because})`));
  return failed.length === 0 ? [] : [`hosts that have not called in: ${hostTexts.join(', ')}`];
}

/**
 * Starts services that do not run yet; gives what is left undone of that, a line each, and waits for the others so many
 * ms at the longest.
 */
export async function startServices(cli: Cli, zone: ZoneName, wanted: readonly WantedService[], waitMs: number): Promise<string[]> {
  const left: string[] = [];
  const started: WantedService[] = [];
  for (const one of wanted) {
    const fault = await startService(cli, zone, one);
    if (fault === undefined) started.push(one);
    else left.push(`${one.type} on ${one.host}: ${fault}`);
  }
  return [...left, ...(waitMs > 0 ? await notOnline(cli, zone, started, waitMs) : [])];
}

/** Makes one service run; gives the reason why it does not run as wanted. */
async function startService(cli: Cli, zone: ZoneName, { host, type, configuration }: WantedService): Promise<string | undefined> {
  const name = ServiceTypeName.safeParse(type);
  if (!name.success) return 'the zone has no such type of service';
  try {
    const { body } = await cli.call(contract.startService, { params: { zone, type: name.data }, body: { node: host, configuration } });
    cli.say(printable(`${type} on ${host}: ${body.because}`));
    return isSame(body.configuration, configuration) ? undefined : 'it runs with another configuration: change it with reconfigure';
  } catch (error) {
    return refusalOf(error);
  }
}

/** Whether two configurations are equal; keys are in any order. */
const isSame = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other);
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, held: unknown) =>
    typeof held === 'object' && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );

/** Waits for services to be online; those that are not, a line each. */
async function notOnline(cli: Cli, zone: ZoneName, wanted: readonly WantedService[], timeoutMs: number): Promise<string[]> {
  if (wanted.length === 0) return [];
  const look = async (): Promise<readonly string[]> => {
    const { items } = await collect<ServiceView>(
      Number.POSITIVE_INFINITY,
      async (at) => (await cli.call(contract.listServices, { params: { zone }, query: at })).body,
    );
    const states = new Map<string, string>(items.map(({ type, host, state }) => [`${type} on ${host}`, state]));
    return wanted.flatMap(({ type, host }) => {
      const state = states.get(`${type} on ${host}`) ?? 'not registered';
      return state === 'online' ? [] : [`${type} on ${host} is ${state}`];
    });
  };
  const { now } = await lookUntil(cli, look, {
    timeoutMs,
    ends: ({ length }) => (length === 0 ? 'all' : undefined),
    progressText: ({ length }) => `${wanted.length - length} of ${wanted.length} services are online`,
  });
  return [...now];
}

/** The commands that name stations and start services, as a shell takes them. */
export function besideCommands(
  name: string,
  zone: ZoneName,
  { stations, services }: Beside,
): {
  readonly stations: readonly string[];
  readonly services: readonly string[];
} {
  const inZone = ['--zone', zone];
  return {
    stations: stations.length === 0 ? [] : [shellWords([name, 'halon', 'station', ...inZone, ...stations])],
    services: services.map(({ host, type, configuration }) => {
      const start = shellWords([name, 'halon', 'service', type, 'start', ...inZone, '-n', host, '-c', '-']);
      return `printf %s ${shellWords([JSON.stringify(configuration)])} | ${start}`;
    }),
  };
}
