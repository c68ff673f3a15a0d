import { type Part, text } from '../check/walk.ts';
import type { ConvertedProcess, ConvertedService } from './processes.ts';
import type { Talk } from './talk.ts';

const deviceKeys = ['m0d_wwn', 'm0d_serial', 'm0d_path', 'm0d_bsize', 'm0d_size', 'm0d_slot'];

/**
 * Assigns the devices of a server to the services that use them: all to the only one, else to each service the devices
 * whose path its filter matches.
 */
export function distribute(server: Part, processes: readonly ConvertedProcess[], talk: Talk): void {
  const devices = talk.items(server, 'm0h_devices');
  const users = processes.flatMap(({ services }) => services.filter(({ usesDevices }) => usesDevices));
  if (devices.length === 0) return;
  if (users.length === 0) {
    talk.note('devices are left out where no service uses any', [...server.path, 'm0h_devices']);
    return;
  }
  const finding = users.map((user) => finder(user, users, talk));
  const given = users.map((): object[] => []);
  for (const device of devices) {
    const takers = finding.flatMap((finds, n) => (finds(text(device, 'm0d_path') ?? '') ? [n] : []));
    if (takers.length > 1)
      talk.defect(device.path, `${takers.length} services use this device by their m0s_pathfilter; a device belongs to one`);
    else if (takers.length === 0) talk.note('devices that no m0s_pathfilter matches are left out', device.path);
    else given[takers[0]!]!.push(convertDevice(device, talk));
  }
  for (const [n, user] of users.entries()) if (given[n]!.length > 0) user.becomes['m0s_devices'] = given[n];
}

/** Returns a function that tells whether a service uses the device with this path. */
function finder(user: ConvertedService, users: readonly ConvertedService[], talk: Talk): (path: string) => boolean {
  const { filter, path } = user;
  if (filter === undefined) {
    if (users.length > 1)
      talk.defect(path, `${users.length} services of this server use devices: give each an m0s_pathfilter that says which`);
    return () => users.length === 1;
  }
  const pattern = typeof filter === 'string' ? simplePattern(filter) : undefined;
  if (pattern) return (devicePath) => pattern.test(devicePath.slice(0, 256));
  talk.defect(
    [...path, 'm0s_pathfilter'],
    'it must be a regular expression of up to 200 characters, with at most three open repetitions and none of a group',
  );
  return () => false;
}

/**
 * A regular expression that ends soon for any path; undefined for any other. A repetition of something that repeats or
 * chooses, or many open ones, can take forever. References and look-around are not in the original's language.
 */
function simplePattern(filter: string): RegExp | undefined {
  const bare = filter.replaceAll(/\\[^\d]|\[(?:\\.|[^\]\\])*\]/g, 'x');
  const open = bare.match(/[*+]|\{\d*,\d*\}/g) ?? [];
  if (filter.length > 200 || open.length > 3 || /\)[*+{?]|\\|\(\?|\{\d{3}/.test(bare)) return undefined;
  try {
    return new RegExp(filter);
  } catch {
    return undefined;
  }
}

function convertDevice(device: Part, talk: Talk): object {
  const { value, path } = device;
  for (const key of Object.keys(value)) if (!deviceKeys.includes(key)) talk.note(`${key} of devices is not known and is left out`, path);
  const fields = deviceKeys.filter((key) => value[key] !== undefined && value[key] !== null).map((key) => [key, value[key]] as const);
  if (value['m0d_serial'] !== undefined || value['m0d_wwn'] === undefined) return talk.made(path, Object.fromEntries(fields));
  talk.note('devices without m0d_serial get their m0d_wwn as serial', path);
  return talk.made(path, { m0d_wwn: value['m0d_wwn'], m0d_serial: String(value['m0d_wwn']), ...Object.fromEntries(fields) });
}
