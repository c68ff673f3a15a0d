import { items, type Part, part, text } from '../check/walk.ts';
import type { ConvertedProcess } from './processes.ts';
import type { Talk } from './talk.ts';

type Fields = Record<string, unknown>;
/** The keys that the globals had before there were pools. */
const former = ['m0_data_units', 'm0_parity_units', 'm0_failure_set_gen'];
/** The size of a unit where none is given, in bytes: 1 MiB. */
const unitSize = 1_048_576;

/** Globals, pools and profiles of the new file. For a file without pools, all devices make one pool. */
export function convertPools(file: Part, processes: readonly ConvertedProcess[], talk: Talk): Fields {
  const { value } = file;
  const globals = part(value['id_m0_globals'], ['id_m0_globals']);
  const rest = Object.fromEntries(Object.entries(globals.value).filter(([key]) => !former.includes(key)));
  if (globals.value['m0_failure_set_gen'] !== undefined)
    talk.note('m0_failure_set_gen is left out: a pool has pool_allowed_failures instead', globals.path);
  const made = value['id_pools'] === undefined ? onePool(globals, processes, talk) : undefined;
  const pools = made ? [made] : (value['id_pools'] ?? []);
  const profiles = value['id_profiles'] ?? (made ? [{ prof_id: 'profile-1', prof_pools: ['pool-1'] }] : []);
  return { id_m0_globals: rest, id_pools: pools, id_profiles: profiles };
}

function onePool(globals: Part, processes: readonly ConvertedProcess[], talk: Talk): Fields | undefined {
  const { m0_data_units: data, m0_parity_units: parity } = globals.value;
  if (data === undefined || parity === undefined) return undefined;
  const devices = processes.flatMap(({ services }) => services.flatMap(({ becomes }) => items(part(becomes, []), 'm0s_devices')));
  if (devices.length === 0) return undefined;
  talk.note(`m0_data_units and m0_parity_units become pool-1 of all devices, with units of ${unitSize} bytes, in profile-1`, globals.path);
  return talk.made(globals.path, {
    pool_id: 'pool-1',
    pool_pdclust_attrs: { data_units: data, parity_units: parity, unit_size: unitSize, seed: [0, 0] },
    pool_device_refs: devices.map((device) => ({ dr_wwn: text(device, 'm0d_wwn') })),
  });
}
