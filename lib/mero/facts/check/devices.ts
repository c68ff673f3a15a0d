import { type Defect, type Path, pathText } from '../../../core/defect.ts';
import { named, repeated } from './unique.ts';
import { items, type Part, text, under } from './walk.ts';

/** A device as the file has it, with the path of its service. */
export type FoundDevice = { readonly part: Part; readonly service: Path };

/** All devices of a file, in its order. */
export const devicesIn = (file: Part): FoundDevice[] =>
  items(file, 'id_m0_servers').flatMap((server) =>
    items(server, 'm0h_processes').flatMap((process) =>
      items(process, 'm0p_services').flatMap((service) =>
        items(service, 'm0s_devices').map((device) => ({ part: device, service: service.path })),
      ),
    ),
  );

/** Devices that occur twice, by WWN, serial, or path on one server; one under two services is reported as that. */
export function defectsOfDevices(file: Part, devices: readonly FoundDevice[]): Defect[] {
  const shared = underTwo(devices);
  const rest = devices.filter((device) => !shared.has(device)).map((device) => device.part);
  const servers = Map.groupBy(rest, ({ path }) => path[1]);
  return [
    ...shared.values(),
    ...repeated('device with the WWN', named(rest, 'm0d_wwn')),
    ...repeated('device with the serial', named(rest, 'm0d_serial')),
    ...[...servers.values()].flatMap((those) => repeated('device with the path', named(those, 'm0d_path'))),
    ...defectsOfPools(file, devices),
  ];
}

/** A device with the same names under two services of a server was given to both. */
function underTwo(devices: readonly FoundDevice[]): Map<FoundDevice, Defect> {
  const first = new Map<string, FoundDevice>();
  const defects = new Map<FoundDevice, Defect>();
  for (const device of devices) {
    const { path } = device.part;
    const wwn = text(device.part, 'm0d_wwn');
    if (wwn === undefined) continue;
    const name = `${String(path[1])} ${wwn} ${text(device.part, 'm0d_serial')}`;
    const before = first.get(name);
    if (!before) first.set(name, device);
    else if (before.service !== device.service) {
      const says = `device ${wwn} is under two services: ${pathText(before.service)} and here; a device belongs to one`;
      defects.set(device, { path: [...path, 'm0d_wwn'], says });
    }
  }
  return defects;
}

const keysOfRefs = { dr_wwn: 'm0d_wwn', dr_serial: 'm0d_serial', dr_path: 'm0d_path' } as const;

/**
 * Defects of pools and profiles: references that lead to no device, to several or to one that was named before; pools
 * wider than their devices; profiles with unknown pools.
 */
function defectsOfPools(file: Part, devices: readonly FoundDevice[]): Defect[] {
  const byName = lookup(devices);
  const pools = items(file, 'id_pools');
  const ids = new Set(pools.map((pool) => text(pool, 'pool_id')));
  return [
    ...pools.flatMap((pool) => [...defectsOfRefs(items(pool, 'pool_device_refs'), byName), ...tooWide(pool)]),
    ...items(file, 'id_profiles').flatMap((profile) => unknownPools(profile, ids)),
  ];
}

/** Returns the devices that have this name, by the key of a reference. */
type ByName = (key: string, name: string | undefined) => readonly FoundDevice[];

/** Devices are indexed by a key when the first reference has it; most files refer by one alone. */
function lookup(devices: readonly FoundDevice[]): ByName {
  const ordered = new Map<string, Map<string | undefined, FoundDevice[]>>();
  return (key, name) => {
    const by = ordered.get(key) ?? Map.groupBy(devices, ({ part }) => text(part, keysOfRefs[key as keyof typeof keysOfRefs]));
    ordered.set(key, by);
    return by.get(name) ?? [];
  };
}

function defectsOfRefs(refs: readonly Part[], byName: ByName): Defect[] {
  const first = new Map<FoundDevice, Path>();
  return refs.flatMap((ref): Defect[] => {
    const given = Object.keys(keysOfRefs).filter((key) => text(ref, key) !== undefined);
    if (given.length === 0) return [];
    const described = given.map((key) => `${key} ${text(ref, key)}`).join(', ');
    const found = firstTwo(ref, given, byName);
    if (found.length === 0) return [{ path: ref.path, says: `there is no device with ${described}` }];
    if (found.length > 1) {
      const those = found.map(({ part }) => pathText(part.path)).join(', ');
      return [{ path: ref.path, says: `more than one device has ${described}: ${those}` }];
    }
    const before = first.get(found[0]!);
    if (before) return [{ path: ref.path, says: `the device with ${described} is referred to already: ${pathText(before)}` }];
    first.set(found[0]!, ref.path);
    return [];
  });
}

/**
 * The first two devices that have all the names of a reference: a second one is already a defect, and a file may have
 * very many.
 */
function firstTwo(ref: Part, given: readonly string[], byName: ByName): FoundDevice[] {
  const [least] = given.map((key) => byName(key, text(ref, key))).sort((a, b) => a.length - b.length);
  const found: FoundDevice[] = [];
  for (const device of least!) {
    if (!given.every((key) => text(device.part, keysOfRefs[key as keyof typeof keysOfRefs]) === text(ref, key))) continue;
    found.push(device);
    if (found.length === 2) break;
  }
  return found;
}

/** Data of N units and K of parity need N + 2K devices, so that K that fail can be repaired onto K others. */
function tooWide(pool: Part): Defect[] {
  const attributes = under(pool, 'pool_pdclust_attrs');
  const { data_units: data, parity_units: parity } = attributes.value;
  const refs = pool.value['pool_device_refs'];
  if (typeof data !== 'number' || typeof parity !== 'number' || !Array.isArray(refs)) return [];
  const width = data + 2 * parity;
  return width <= refs.length
    ? []
    : [
        {
          path: attributes.path,
          says: `${data} data and ${parity} parity units need ${width} devices (N + 2K), and the pool has ${refs.length}`,
        },
      ];
}

function unknownPools({ value, path }: Part, ids: ReadonlySet<string | undefined>): Defect[] {
  const pools = value['prof_pools'];
  if (!Array.isArray(pools)) return [];
  return pools.flatMap((pool, n) =>
    ids.has(String(pool)) ? [] : [{ path: [...path, 'prof_pools', n], says: `there is no pool ${pool}` }],
  );
}
