import { type Defect, type Path, pathText } from '../../../core/defect.ts';
import { host, items, type Part, text } from './walk.ts';

/** A thing with a name, and the key of that name. */
type Named = { readonly name: string | undefined; readonly part: Part; readonly key: string };
const pathOf = ({ part, key }: Named): Path => [...part.path, key];

/** One defect for each thing that has the name of one before it. */
export function repeated(what: string, named: Iterable<Named>): Defect[] {
  const first = new Map<string, Part>();
  const defects: Defect[] = [];
  for (const one of named) {
    if (one.name === undefined) continue;
    const before = first.get(one.name);
    if (before) defects.push({ path: pathOf(one), says: `${what} ${one.name} is there already: ${pathText(before.path)}` });
    else first.set(one.name, one.part);
  }
  return defects;
}

/** The names of these parts, by a key. */
export const named = (parts: readonly Part[], key: string, read: (one: Part, key: string) => string | undefined = text): Named[] =>
  parts.map((part) => ({ name: read(part, key), part, key }));

/**
 * Defects of the places of hosts: numbers and names that occur twice, and hosts that one section lacks. Numbers of
 * racks and enclosures count within what contains them.
 */
export function defectsOfSites(file: Part): Defect[] {
  const sites = items(file, 'id_sites');
  const racks = sites.map((site) => items(site, 'site_racks'));
  const enclosures = racks.flat().map((rack) => items(rack, 'rack_enclosures'));
  const hosts = enclosures.flat().flatMap((enclosure) => items(enclosure, 'enc_hosts'));
  return [
    ...repeated('site', named(sites, 'site_idx')),
    ...racks.flatMap((those) => repeated('rack', named(those, 'rack_idx'))),
    ...enclosures.flatMap((those) => repeated('enclosure', named(those, 'enc_idx'))),
    ...repeated('enclosure', named(enclosures.flat(), 'enc_id')),
    ...repeated('host', named(hosts, 'h_fqdn', host)),
    ...repeated('server', named(items(file, 'id_m0_servers'), 'm0h_fqdn', host)),
    ...repeated('pool', named(items(file, 'id_pools'), 'pool_id')),
    ...repeated('profile', named(items(file, 'id_profiles'), 'prof_id')),
    ...unmatched(named(hosts, 'h_fqdn', host), named(items(file, 'id_m0_servers'), 'm0h_fqdn', host)),
  ];
}

/** Hosts that are in one of the two sections and not in the other. */
function unmatched(hosts: readonly Named[], servers: readonly Named[]): Defect[] {
  const inSites = new Set(hosts.map(({ name }) => name));
  const inServers = new Set(servers.map(({ name }) => name));
  return [
    ...servers
      .filter(({ name }) => name !== undefined && !inSites.has(name))
      .map((one) => ({ path: pathOf(one), says: `${one.name} is in no enclosure of id_sites` })),
    ...hosts
      .filter(({ name }) => name !== undefined && !inServers.has(name))
      .map((one) => ({
        path: pathOf(one),
        says: `${one.name} is missing in id_m0_servers; a host without processes has m0h_processes: []`,
      })),
  ];
}
