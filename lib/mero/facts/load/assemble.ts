import type { Facts, Server, Site } from '../facts.ts';
import type { LayoutPage, Place, ServerPart } from './parts.ts';

/** The content of pages, each kind in its order. */
export type Sections = Pick<Facts, 'id_sites' | 'id_m0_globals' | 'id_pools' | 'id_profiles'>;

/** The sections of a facts file that pages were cut from. */
export function sectionsOf(pages: readonly LayoutPage[]): Sections {
  const globals = pages.find((page) => page.of === 'globals')?.globals ?? { m0_md_redundancy: 1 };
  const pools = new Map<number, Facts['id_pools'][number]>();
  for (const page of pages) {
    if (page.of !== 'pool') continue;
    const refs = page.devices.map((dr_wwn) => ({ dr_wwn }));
    const before = pools.get(page.at);
    if (before) before.pool_device_refs.push(...refs);
    else pools.set(page.at, { ...page.pool, pool_device_refs: refs });
  }
  return {
    id_sites: sitesOf(pages.flatMap((page) => (page.of === 'sites' ? page.places : []))),
    id_m0_globals: globals,
    id_pools: [...pools.values()],
    id_profiles: pages.flatMap((page) => (page.of === 'profiles' ? page.profiles.map(({ at: _at, ...profile }) => profile) : [])),
  };
}

function sitesOf(places: readonly Place[]): Site[] {
  const sites = new Map<number, Site>();
  const racks = new Map<number, Site['site_racks'][number]>();
  for (const { site, rack, enclosure } of places) {
    const inSite = sites.get(site.at) ?? { site_idx: site.index, site_racks: [] };
    sites.set(site.at, inSite);
    if (!rack) continue;
    const inRack = racks.get(rack.at) ?? { rack_idx: rack.index, rack_enclosures: [] };
    if (!racks.has(rack.at)) inSite.site_racks.push(inRack);
    racks.set(rack.at, inRack);
    if (!enclosure) continue;
    const { index, id, bmc, hosts } = enclosure;
    inRack.rack_enclosures.push({ enc_idx: index, enc_id: id, ...(bmc && { enc_bmc: bmc }), enc_hosts: hosts });
  }
  return [...sites.values()];
}

/** The enclosure of hosts that were added to a cluster: one of their own in a site of their own. */
export const addedEnclosure = 'added';

/**
 * Facts of a cluster as it is: the pages as they were loaded, with the servers that it has now. A host without a place
 * gets one, and hosts and devices that are gone are left out.
 */
export function factsOf(pages: readonly LayoutPage[], parts: readonly ServerPart[]): Facts {
  const servers = serversOf(parts);
  const sections = sectionsOf(pages);
  const names = new Set<string>(servers.map(({ m0h_fqdn }) => m0h_fqdn));
  const wwns = new Set(
    servers.flatMap(({ m0h_processes }) =>
      m0h_processes.flatMap(({ m0p_services }) =>
        m0p_services.flatMap(({ m0s_devices = [] }) => m0s_devices.map(({ m0d_wwn }) => m0d_wwn)),
      ),
    ),
  );
  return {
    id_sites: withAdded(sections.id_sites, names),
    id_m0_servers: servers,
    id_m0_globals: sections.id_m0_globals,
    id_pools: sections.id_pools.map((pool) => ({
      ...pool,
      pool_device_refs: pool.pool_device_refs.filter(({ dr_wwn }) => wwns.has(dr_wwn!)),
    })),
    id_profiles: sections.id_profiles,
  };
}

/** Servers in the order of their numbers, each whole. */
function serversOf(parts: readonly ServerPart[]): Server[] {
  const servers = new Map<number, Server>();
  for (const { at, server } of [...parts].sort((a, b) => a.at - b.at || a.next - b.next)) {
    const before = servers.get(at);
    if (before) before.m0h_processes.push(...server.m0h_processes);
    else servers.set(at, { ...server, m0h_processes: [...server.m0h_processes] });
  }
  return [...servers.values()];
}

function withAdded(sites: readonly Site[], names: ReadonlySet<string>): Site[] {
  const placed = new Set<string>();
  const placedSites = sites.map((site) => ({
    ...site,
    site_racks: site.site_racks.map((rack) => ({
      ...rack,
      rack_enclosures: rack.rack_enclosures.map((enclosure) => {
        const hosts = enclosure.enc_hosts.filter(({ h_fqdn }) => names.has(h_fqdn));
        for (const { h_fqdn } of hosts) placed.add(h_fqdn);
        return { ...enclosure, enc_hosts: hosts };
      }),
    })),
  }));
  const added = [...names].filter((name) => !placed.has(name)).map((h_fqdn) => ({ h_fqdn: h_fqdn as Server['m0h_fqdn'] }));
  if (added.length === 0) return placedSites;
  const ids = new Set(
    placedSites.flatMap(({ site_racks }) => site_racks.flatMap((rack) => rack.rack_enclosures.map(({ enc_id }) => enc_id))),
  );
  let enc_id: string = addedEnclosure;
  for (let n = 2; ids.has(enc_id); n++) enc_id = `${addedEnclosure}-${n}`;
  const site_idx = placedSites.reduce((most, site) => Math.max(most, site.site_idx), 0) + 1;
  return [...placedSites, { site_idx, site_racks: [{ rack_idx: 1, rack_enclosures: [{ enc_idx: 1, enc_id, enc_hosts: added }] }] }];
}
