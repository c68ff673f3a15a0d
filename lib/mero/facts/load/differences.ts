import type { Expansion } from '../expand/expand.ts';
import { canonical, digestOf } from './identity.ts';

/** How many differences are listed at most: the first ones identify the file. */
export const differencesMax = 10;

/**
 * The first few differences between the facts of a file and of a cluster, in words: hosts go by name, processes by
 * host, endpoint and type, devices by WWN and serial, pools and profiles by name. Fids do not count. Empty when all
 * these are the same.
 */
export function differences(file: Expansion, cluster: Expansion): string[] {
  const [wanted, there] = [thingsIn(file), thingsIn(cluster)];
  const lines: string[] = [];
  const add = (text: string): boolean => lines.push(text) < differencesMax;
  for (const [name, what] of wanted) {
    const other = there.get(name);
    if (other === what) continue;
    if (
      !add(
        other === undefined
          ? `${name} is in the file and not in the cluster`
          : `${name} is ${what} in the file, and ${other} in the cluster`,
      )
    )
      return lines;
  }
  for (const name of there.keys()) if (!wanted.has(name) && !add(`${name} is in the cluster and not in the file`)) return lines;
  return lines;
}

/** Everything that facts name, by a name in words, with what it is. */
function thingsIn({ nodes, pools, profiles }: Expansion): Map<string, string> {
  const things = new Map<string, string>();
  const names = new Map<string, string>();
  for (const { fqdn, processes } of nodes) {
    things.set(`host ${fqdn}`, 'there');
    for (const { endpoint, type, services } of processes) {
      things.set(
        `process ${endpoint} on ${fqdn}`,
        `${type.tag}${type.tag === 'PLHalon' || type.tag === 'PLM0t1fs' ? '' : ` ${canonical(type.contents)}`}`,
      );
      for (const service of services)
        for (const { fid, wwn, serial } of service.devices) {
          names.set(fid, wwn);
          things.set(`device ${wwn}`, `serial ${serial} of ${service.type} at ${endpoint}`);
        }
    }
  }
  for (const { id, devices } of pools) things.set(`pool ${id}`, `of ${devices.length} devices: ${wwnsIn(devices, names)}`);
  const ids = new Map(pools.map(({ fid, id }) => [fid, id]));
  for (const { id, pools: own } of profiles)
    things.set(
      `profile ${id}`,
      `of ${own
        .map((fid) => ids.get(fid))
        .sort()
        .join(', ')}`,
    );
  return things;
}

/** The WWNs of devices in order: all of a few; of more the first, and a digest that distinguishes the rest. */
function wwnsIn(devices: readonly string[], names: ReadonlyMap<string, string>): string {
  const wwns = devices.map((fid) => names.get(fid)!).sort();
  return wwns.length <= 4 ? wwns.join(', ') : `${wwns.slice(0, 3).join(', ')} … (${digestOf(wwns)})`;
}
