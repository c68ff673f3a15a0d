import type { Defect, Path } from '../../../core/defect.ts';
import { configurationKeys, loaderKeys, variableName } from '../configuration.ts';
import { items, type Part, text } from './walk.ts';

/** Defects of processes beyond the form of their parts. */
export const defectsOfProcesses = (file: Part): Defect[] =>
  items(file, 'id_m0_servers').flatMap((server) =>
    items(server, 'm0h_processes').flatMap((process) => [...ownedTwice(process), ...elsewhere(process), ...variables(process)]),
  );

/** Devices of a process that is there several times: each of them would own the devices. */
function ownedTwice(process: Part): Defect[] {
  const many = process.value['m0p_multiplicity'];
  if (typeof many !== 'number' || many < 2) return [];
  return items(process, 'm0p_services')
    .filter((service) => items(service, 'm0s_devices').length > 0)
    .map(({ path }) => ({
      path: [...path, 'm0s_devices'],
      says: `there are ${many} of this process, and a device belongs to one service`,
    }));
}

/** A service answers at the endpoint of its process. The original assumed that without a check. */
function elsewhere(process: Part): Defect[] {
  const own = text(process, 'm0p_endpoint');
  return items(process, 'm0p_services').flatMap(({ value, path }) => {
    const given = value['m0s_endpoints'];
    if (!Array.isArray(given)) return [];
    return given.flatMap((one, n) =>
      one === own
        ? []
        : [{ path: [...path, 'm0s_endpoints', n], says: 'a service answers at the endpoint of its process; leave this out' }],
    );
  });
}

/** Variables whose names are the same to a shell, or that Muster sets. */
function variables({ value, path }: Part): Defect[] {
  const given = value['m0p_environment'];
  if (!Array.isArray(given)) return [];
  const before = new Set<string>();
  return given.flatMap((entry, n): Defect[] => {
    const name = Array.isArray(entry) && typeof entry[0] === 'string' ? variableName(entry[0]) : undefined;
    if (name === undefined) return [];
    const at: Path = [...path, 'm0p_environment', n, 0];
    if (configurationKeys.test(name)) return [{ path: at, says: `${name} is set by Muster` }];
    if (loaderKeys.test(name))
      return [{ path: at, says: `${name} makes the loader run other code in every program that is started: leave it out` }];
    if (before.has(name)) return [{ path: at, says: `the variable ${name} is there already` }];
    before.add(name);
    return [];
  });
}
