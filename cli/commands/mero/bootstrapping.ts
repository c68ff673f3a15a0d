import { contract } from '../../../lib/api/contract.ts';
import type { NodeView } from '../../../lib/api/views.ts';
import type { Facts } from '../../../lib/facts/facts.ts';
import type { HalonRole } from '../../../lib/facts/roles/halon-role.ts';
import type { ZoneName } from '../../../lib/ids.ts';
import type { Cli } from '../../cli.ts';
import { follow } from '../../pages.ts';
import { lookUntil } from './waiting.ts';

/** What facts want of hosts beside their processes: which are to be stations, and which services run where. */
export type Beside = {
  readonly stations: readonly string[];
  readonly services: readonly { readonly host: string; readonly type: string }[];
};

/** The Halon roles that hosts of a zone may have. */
export const halonRolesOf = async (cli: Cli, zone: ZoneName): Promise<HalonRole[]> =>
  (await cli.call(contract.listHalonRoles, { params: { zone } })).body.items.map(({ role }) => role);

/** What the Halon roles of the hosts in facts come to, by these. */
export function besideOf(facts: Facts, catalogue: readonly HalonRole[]): Beside {
  const roles = new Map(catalogue.map((role) => [role.name, role]));
  const asked = rolesIn(facts);
  return {
    stations: [...new Set(asked.flatMap(({ host, role }) => (roles.get(role)?.station ? [host] : [])))],
    services: asked.flatMap(({ host, role }) => (roles.get(role)?.services ?? []).map(({ type }) => ({ host, type }))),
  };
}

const rolesIn = ({ id_sites }: Facts): { host: string; role: string }[] =>
  id_sites
    .flatMap(({ site_racks }) => site_racks.flatMap(({ rack_enclosures }) => rack_enclosures.flatMap(({ enc_hosts }) => enc_hosts)))
    .flatMap(({ h_fqdn, h_halon }) => (h_halon?.roles ?? []).map(({ name }) => ({ host: h_fqdn as string, role: name })));

/** What of that is not done by this version, a line each. */
export const leftBeside = ({ stations, services }: Beside): string[] => [
  ...(stations.length > 0 ? [`stations are named by a later version: ${stations.join(', ')}`] : []),
  ...(services.length > 0
    ? [`services of Halon roles are started by a later version: ${services.map(({ host, type }) => `${type} on ${host}`).join(', ')}`]
    : []),
];

/** Nodes that have called in and were not given up. */
const isThere = ({ status }: NodeView): boolean => !['absent', 'waiting', 'down', 'dropped'].includes(status);

/** The hosts of facts that have not called in after this time in ms at the longest. */
export async function missingHosts(cli: Cli, zone: ZoneName, facts: Facts, waitMs: number): Promise<string[]> {
  const hosts = facts.id_m0_servers.map(({ m0h_fqdn }) => m0h_fqdn as string);
  const look = async (): Promise<string[]> => {
    const { items } = await follow<NodeView>(
      Number.POSITIVE_INFINITY,
      async (at) => (await cli.call(contract.listNodes, { query: { zone, ...at } })).body,
    );
    const there = new Set<string>(items.filter(isThere).map(({ fqdn }) => fqdn));
    return hosts.filter((host) => !there.has(host));
  };
  const { now: missing } = await lookUntil(cli, look, {
    timeoutMs: waitMs,
    ends: ({ length }) => (length === 0 ? 'all' : undefined),
    told: ({ length }) => `${hosts.length - length} of ${hosts.length} hosts have called in`,
  });
  return missing;
}
