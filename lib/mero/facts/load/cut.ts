import type { Defect } from '../../../core/defect.ts';
import { type Fid, readFid } from '../../../core/fid.ts';
import type { ExpandedNode, Expansion } from '../expand/expand.ts';
import type { Facts, Server } from '../facts.ts';
import { FactsIdentity, type HostVariables } from './identity.ts';
import type { LayoutPage, LoadSize, Place, ServerPart } from './parts.ts';
import { resolvedProcess } from './resolved.ts';

/** Facts cut into parts that calls carry, with their size and their identity; or what no call can carry. */
export type CutFacts =
  | {
      readonly ok: true;
      readonly identity: string;
      readonly size: LoadSize;
      readonly pages: readonly LayoutPage[];
      readonly servers: readonly (readonly ServerPart[])[];
    }
  | { readonly ok: false; readonly defects: readonly Defect[] };

/** How large a part is at most, as JSON in bytes: a body of 64 KiB, less what is put around it. */
export const partBytesMax = 60_000;

/** Cuts facts without defects. It never cuts a process with all its devices, or an enclosure with all its hosts. */
export function cutFacts(facts: Facts, expansion: Expansion): CutFacts {
  const defects: Defect[] = [];
  const pages = pagesOf(facts, expansion, defects);
  const slices = facts.id_m0_servers.flatMap((server, n) => slicesOf(server, expansion.nodes[n]!, n, defects));
  if (defects.length > 0) return { ok: false, defects };
  const servers = packed(slices, 100);
  return { ok: true, identity: identityOf(facts, expansion, pages), size: sizeOf(expansion), pages, servers };
}

const keyOf = (fid: Fid): number => readFid(fid)!.key;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Items in order, as many together as fit; an item that is too large is alone. */
function packed<T>(items: readonly T[], countMax: number): T[][] {
  const packs: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const own = bytesOf(item) + 1;
    if (bytes + own > partBytesMax || packs.at(-1)!.length === countMax) {
      packs.push([]);
      bytes = 0;
    }
    packs.at(-1)!.push(item);
    bytes += own;
  }
  return packs;
}

function pagesOf(facts: Facts, expansion: Expansion, defects: Defect[]): LayoutPage[] {
  const wwns = new Map(
    expansion.nodes.flatMap(({ processes }) =>
      processes.flatMap(({ services }) => services.flatMap(({ devices }) => devices.map(({ fid, wwn }) => [fid, wwn] as const))),
    ),
  );
  const pools = facts.id_pools.flatMap(({ pool_device_refs: _refs, ...pool }, n): LayoutPage[] => {
    const { fid, devices } = expansion.pools[n]!;
    const names = devices.map((device) => wwns.get(device)!);
    return packed(names, 5_000).map((page) => ({ of: 'pool', at: keyOf(fid), pool, devices: page }));
  });
  const profiles = facts.id_profiles.map((profile, n) => ({ ...profile, at: keyOf(expansion.profiles[n]!.fid) }));
  return [
    { of: 'globals', globals: facts.id_m0_globals },
    ...packed(placesOf(facts, expansion, defects), 1_000).map((places): LayoutPage => ({ of: 'sites', places })),
    ...pools,
    ...packed(profiles, 1_000).map((page): LayoutPage => ({ of: 'profiles', profiles: page })),
  ];
}

function placesOf(facts: Facts, expansion: Expansion, defects: Defect[]): Place[] {
  return facts.id_sites.flatMap(({ site_idx, site_racks }, s) => {
    const expanded = expansion.sites[s]!;
    const site = { at: keyOf(expanded.fid), index: site_idx };
    const racks = site_racks.flatMap(({ rack_idx, rack_enclosures }, r): Place[] => {
      const rack = { at: keyOf(expanded.racks[r]!.fid), index: rack_idx };
      const enclosures = rack_enclosures.map((enclosure, e): Place => {
        const path = ['id_sites', s, 'site_racks', r, 'rack_enclosures', e];
        const { enc_idx: index, enc_id: id, enc_hosts: hosts } = enclosure;
        const bmc = enclosure.enc_bmc?.map(({ bmc_pass, ...rest }, n) => {
          if (typeof bmc_pass === 'string') defects.push({ path: [...path, 'enc_bmc', n, 'bmc_pass'], says: plainPassword });
          return { ...rest, bmc_pass: typeof bmc_pass === 'string' ? { secret: '-' } : bmc_pass };
        });
        const at = keyOf(expanded.racks[r]!.enclosures[e]!.fid);
        const place = { site, rack, enclosure: { at, index, id, ...(bmc && { bmc }), hosts } };
        if (bytesOf(place) > partBytesMax)
          defects.push({ path, says: `an enclosure with its hosts may take at most ${partBytesMax} bytes` });
        return place;
      });
      return enclosures.length > 0 ? enclosures : [{ site, rack }];
    });
    return racks.length > 0 ? racks : [{ site }];
  });
}

/** The defect of a password in a file. */
export const plainPassword = 'this is a password; Muster stores only the names of secrets: { secret: NAME }';

/** The expanded processes of a server, as many together as fit. */
function slicesOf(server: Server, node: ExpandedNode, n: number, defects: Defect[]): ServerPart[] {
  const { m0h_processes: _processes, ...host } = server;
  const at = keyOf(node.fid);
  const whole = node.processes.map((process) => ({ number: keyOf(process.fid), process: resolvedProcess(process) }));
  const headBytes = bytesOf({ at, next: at, server: host });
  for (const { number, process } of whole)
    if (headBytes + bytesOf(process) > partBytesMax)
      defects.push({
        path: ['id_m0_servers', n],
        says: `process ${number} of ${host.m0h_fqdn}, ${process.m0p_endpoint}, takes more than ${partBytesMax} bytes with its devices: it can have some 250`,
      });
  if (whole.length === 0) return [{ at, next: at + 1, server: { ...host, m0h_processes: [] } }];
  return packed(whole, 256).map((slice) => ({
    at,
    next: slice[0]!.number,
    server: { ...host, m0h_processes: slice.map(({ process }) => process) },
  }));
}

function identityOf(facts: Facts, { nodes }: Expansion, pages: readonly LayoutPage[]): string {
  const identity = new FactsIdentity();
  for (const page of pages) identity.page(page);
  for (const [n, { fqdn, lnid, processes }] of nodes.entries()) {
    identity.host(fqdn, lnid, variablesOf(facts.id_m0_servers[n]!));
    for (const process of processes) identity.process(fqdn, process);
  }
  return identity.end();
}

/** The variables of a server: all but its name, its network and its processes. */
export function variablesOf({ m0h_fqdn: _name, lnid: _lnid, m0h_processes: _processes, ...variables }: Server): HostVariables {
  return variables;
}

function sizeOf({ sites, nodes, pools, profiles }: Expansion): LoadSize {
  const processes = nodes.flatMap((node) => node.processes);
  const services = processes.flatMap((process) => process.services);
  const racks = sites.flatMap((site) => site.racks);
  const lists = [sites, racks, racks.flatMap((rack) => rack.enclosures), nodes, processes, services, pools, profiles];
  const devices = services.flatMap((service) => service.devices);
  const last = [...lists, devices].reduce((most, list) => list.reduce((more, { fid }) => Math.max(more, keyOf(fid)), most), 0);
  return {
    nodes: nodes.length,
    processes: processes.length,
    services: services.length,
    devices: devices.length,
    pools: pools.length,
    profiles: profiles.length,
    fids: last,
  };
}
