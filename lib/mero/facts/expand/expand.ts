import type { Defect } from '../../../core/defect.ts';
import { type Fid, rootFid } from '../../../core/fid.ts';
import type { DeviceRef, Facts, Pool, Server, Site } from '../facts.ts';
import { type ExpandedDevice, type ExpandedProcess, expandProcess } from './processes.ts';
import { Taken } from './taken.ts';

/** A host with Mero processes, or that may come to have some. */
export type ExpandedNode = {
  readonly fid: Fid;
  readonly fqdn: string;
  readonly lnid?: string | undefined;
  readonly processes: readonly ExpandedProcess[];
};

/** The places of hosts, each thing with its fid. */
export type ExpandedSite = { readonly fid: Fid; readonly index: number; readonly racks: readonly ExpandedRack[] };
export type ExpandedRack = { readonly fid: Fid; readonly index: number; readonly enclosures: readonly ExpandedEnclosure[] };
export type ExpandedEnclosure = { readonly fid: Fid; readonly index: number; readonly id: string; readonly hosts: readonly string[] };

/** A pool with the fids of its devices, and a profile with those of its pools. */
export type ExpandedPool = {
  readonly fid: Fid;
  readonly id: string;
  readonly attributes: Pool['pool_pdclust_attrs'];
  readonly allowedFailures: NonNullable<Pool['pool_allowed_failures']>;
  readonly devices: readonly Fid[];
};
export type ExpandedProfile = { readonly fid: Fid; readonly id: string; readonly pools: readonly Fid[] };

/** All that a facts file makes of a storage cluster. The same file always gives the same result. */
export type Expansion = {
  readonly root: Fid;
  readonly sites: readonly ExpandedSite[];
  readonly nodes: readonly ExpandedNode[];
  readonly pools: readonly ExpandedPool[];
  readonly profiles: readonly ExpandedProfile[];
};

/** The expansion of facts, or what stands in the way: then nothing of it is used. */
export type Expanded = { readonly ok: true; readonly expansion: Expansion } | { readonly ok: false; readonly defects: readonly Defect[] };

/**
 * Expands the facts of a new storage cluster, in the order of the file: the first process gets the port or endpoint.
 * The facts have passed the other checks: names differ, and references lead to one device each.
 */
export function expand(facts: Facts, taken = new Taken()): Expanded {
  const defects: Defect[] = [];
  const sites = facts.id_sites.map((site) => expandSite(site, taken));
  const nodes = facts.id_m0_servers.map((server, n) => expandServer(server, n, taken, defects));
  if (defects.length > 0) return { ok: false, defects };
  const fidOfRef = devicesByRef(nodes);
  const pools = facts.id_pools.map((pool) => expandPool(pool, fidOfRef, taken));
  const fidOfPool = new Map(pools.map(({ id, fid }) => [id, fid]));
  const profiles = facts.id_profiles.map(({ prof_id, prof_pools }) => ({
    fid: taken.fid('profile'),
    id: prof_id,
    pools: prof_pools.map((id) => fidOfPool.get(id)!),
  }));
  return { ok: true, expansion: { root: rootFid, sites, nodes, pools, profiles } };
}

const expandSite = ({ site_idx, site_racks }: Site, taken: Taken): ExpandedSite => ({
  fid: taken.fid('site'),
  index: site_idx,
  racks: site_racks.map(({ rack_idx, rack_enclosures }) => ({
    fid: taken.fid('rack'),
    index: rack_idx,
    enclosures: rack_enclosures.map(({ enc_idx, enc_id, enc_hosts }) => ({
      fid: taken.fid('enclosure'),
      index: enc_idx,
      id: enc_id,
      hosts: enc_hosts.map(({ h_fqdn }) => h_fqdn),
    })),
  })),
});

function expandServer(server: Server, n: number, taken: Taken, defects: Defect[]): ExpandedNode {
  const { m0h_fqdn: fqdn, lnid, m0h_processes } = server;
  const fid = taken.fid('node');
  const path = ['id_m0_servers', n, 'm0h_processes'];
  const processes = m0h_processes.flatMap((process, at) => expandProcess({ process, node: fqdn, path: [...path, at] }, taken, defects));
  return { fid, fqdn, lnid, processes };
}

/** Returns a function that gives the fid of the device that a reference leads to. */
function devicesByRef(nodes: readonly ExpandedNode[]): (ref: DeviceRef) => Fid {
  const devices = nodes.flatMap(({ processes }) => processes.flatMap(({ services }) => services.flatMap((service) => service.devices)));
  const by = (key: 'wwn' | 'serial' | 'path') => new Map(devices.map((device): [string, ExpandedDevice] => [device[key], device]));
  const [wwns, serials, paths] = [by('wwn'), by('serial'), by('path')];
  return ({ dr_wwn, dr_serial, dr_path }) => {
    // The first of these names that is given identifies the device, because WWNs and serials differ.
    const found = dr_wwn !== undefined ? wwns.get(dr_wwn) : dr_serial !== undefined ? serials.get(dr_serial) : paths.get(dr_path!);
    return found!.fid;
  };
}

const expandPool = (pool: Pool, fidOfRef: (ref: DeviceRef) => Fid, taken: Taken): ExpandedPool => ({
  fid: taken.fid('pool'),
  id: pool.pool_id,
  attributes: pool.pool_pdclust_attrs,
  allowedFailures: pool.pool_allowed_failures ?? [],
  devices: pool.pool_device_refs.map(fidOfRef),
});
