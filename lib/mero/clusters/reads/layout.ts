import { type Fid, fidOf } from '../../../core/fid.ts';
import { clusterRange, loadRange } from '../../../ports/table/keys.ts';
import type { Shell } from '../../../runtime/shell.ts';
import type { LayoutPage } from '../../facts/load/parts.ts';
import type { Layout } from '../../loads/load.ts';
import type { ProcessDevices } from '../../processes/process.ts';
import type { StorageCluster } from '../cluster.ts';
import { type LivePool, livePool } from '../liveness.ts';
import type { HostPlace } from '../tolerance.ts';
import { rowsIn } from './rows.ts';

/** A pool or profile of a cluster, by its name in the facts. */
export type Named = { readonly fid: Fid; readonly id: string };
/** The parts of a cluster besides its servers, as far as people and plans ask for them. */
export type ClusterLayout = {
  readonly pools: readonly (Named & { readonly live: LivePool })[];
  readonly profiles: readonly Named[];
  /** The places of hosts, by their names; put together on each call. */
  readonly places: () => ReadonlyMap<string, HostPlace>;
};

/** The pools and profiles of a cluster in the order of its facts; none while nothing is loaded. */
export async function layoutOf(shell: Shell, { zone, loaded }: StorageCluster): Promise<ClusterLayout> {
  if (!loaded) return noLayout;
  const layouts: Layout[] = [];
  for await (const { body } of rowsIn(shell, zone, loadRange('layout', loaded.load))) layouts.push(body as Layout);
  const profiles = layouts.flatMap(({ page, base }) =>
    page.of === 'profiles' ? page.profiles.map(({ at, prof_id }) => ({ fid: fidOf('profile', base + at), id: prof_id })) : [],
  );
  return { pools: poolsIn(layouts), profiles, places: () => hostPlacesIn(layouts) };
}

/** The layout of a cluster while nothing is loaded. */
export const noLayout: ClusterLayout = { pools: [], profiles: [], places: () => new Map() };

/** The places of hosts: each site, rack and enclosure has a number of its own in the load. */
function hostPlacesIn(layouts: readonly Layout[]): ReadonlyMap<string, HostPlace> {
  const places = layouts.flatMap(({ page }) => (page.of === 'sites' ? page.places : []));
  return new Map(
    places.flatMap(({ site, rack, enclosure }) =>
      (enclosure?.hosts ?? []).map(({ h_fqdn }): [string, HostPlace] => [
        h_fqdn,
        { site: `${site.at}`, rack: `${rack!.at}`, encl: `${enclosure!.at}` },
      ]),
    ),
  );
}

type PoolPage = Extract<LayoutPage, { of: 'pool' }>;

/** A large pool has its devices on several pages. */
function poolsIn(layouts: readonly Layout[]): ClusterLayout['pools'] {
  const pages = layouts.flatMap(({ page, base }) => (page.of === 'pool' ? [{ page, fid: fidOf('pool', base + page.at) }] : []));
  const byFid = Map.groupBy(pages, ({ fid }) => fid);
  return [...byFid].map(([fid, parts]) => {
    const { pool } = parts[0]!.page as PoolPage;
    const devices = parts.flatMap(({ page }) => page.devices);
    return { fid, id: pool.pool_id, live: livePool(devices, pool.pool_pdclust_attrs, pool.pool_allowed_failures ?? []) };
  });
}

/** The WWNs of the devices of each process that has some. */
export async function devicesByProcess(shell: Shell, zone: string): Promise<ReadonlyMap<Fid, readonly string[]>> {
  const found = new Map<Fid, readonly string[]>();
  for await (const { key, body } of rowsIn(shell, zone, clusterRange('devices'))) {
    const { services } = body as ProcessDevices;
    found.set(
      decodeURIComponent(key.sk.split('#')[2]!) as Fid,
      services.flatMap(({ devices }) => devices.map(({ wwn }) => wwn)),
    );
  }
  return found;
}
