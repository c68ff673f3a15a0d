import type { Defect } from '../../../core/defect.ts';
import { type Fid, fidOf } from '../../../core/fid.ts';
import { defectsOfDevices, devicesIn } from '../check/devices.ts';
import { defectsOfProcesses } from '../check/processes.ts';
import { defectsOfSites } from '../check/unique.ts';
import { part } from '../check/walk.ts';
import { type ExpandedProcess, expandProcess } from '../expand/processes.ts';
import { Taken } from '../expand/taken.ts';
import type { Sections } from './assemble.ts';
import type { ServerPart } from './parts.ts';

/** The expanded processes of a part, and the fid that its node has in the cluster. */
export type ExpandedPart = { readonly node: Fid; readonly part: ServerPart; readonly processes: readonly ExpandedProcess[] };

/** Parts without a defect, expanded; or everything that is wrong with them, each with its path in the list. */
export type CheckedParts =
  | { readonly ok: true; readonly parts: readonly ExpandedPart[] }
  | { readonly ok: false; readonly defects: readonly Defect[] };

/**
 * Checks parts by themselves and gives them their fids: those of the cluster's load begin after the number `base`, and
 * it has `fids` of them.
 */
export function expandParts(parts: readonly ServerPart[], { base, fids }: { readonly base: number; readonly fids: number }): CheckedParts {
  const file = part({ id_m0_servers: parts.map(({ server }) => server) }, []);
  const defects = [...defectsOfDevices(file, devicesIn(file)), ...defectsOfProcesses(file)].map(inList);
  const expanded = parts.map((one, n): ExpandedPart => {
    const { at, next, server } = one;
    const taken = new Taken(base + next - 1);
    const path = [n, 'server', 'm0h_processes'];
    const processes = server.m0h_processes.flatMap((process, at) =>
      expandProcess({ process, node: server.m0h_fqdn, path: [...path, at] }, taken, defects),
    );
    if (taken.lastKey - base > fids || at > fids || next <= at)
      defects.push({ path: [n, 'next'], says: `numbers go from ${at} to ${taken.lastKey - base}, and the load has ${fids}` });
    return { node: fidOf('node', base + at), part: one, processes };
  });
  return defects.length > 0 ? { ok: false, defects } : { ok: true, parts: expanded };
}

/** A defect of `id_m0_servers[n]…` where the servers stand in a list of parts. */
const inList = ({ path: [section, n, ...rest], says }: Defect): Defect =>
  section === 'id_m0_servers' && n !== undefined ? { path: [n, 'server', ...rest], says } : { path: [], says };

/** Defects of a load as a whole, except those of devices; `hosts` are the names of the servers. */
export function defectsOfWhole(sections: Sections, hosts: Iterable<string>): Defect[] {
  const servers = Array.from(hosts, (m0h_fqdn) => ({ m0h_fqdn }));
  const { id_pools, ...facts } = sections;
  const pools = id_pools.map(({ pool_id, pool_pdclust_attrs }) => ({ pool_id, pool_pdclust_attrs }));
  const file = part({ ...facts, id_pools: pools, id_m0_servers: servers }, []);
  return [...defectsOfSites(file), ...defectsOfDevices(file, []).filter(({ path }) => path[0] === 'id_profiles')];
}
