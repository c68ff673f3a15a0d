import type { Defect, Path } from '../../../core/defect.ts';
import type { Fid } from '../../../core/fid.ts';
import { type EnvironmentVariable, variableName } from '../configuration.ts';
import type { Device, Process, ProcessType, Service } from '../process.ts';
import type { Taken } from './taken.ts';

/** A device with its fid; sizes in bytes. */
export type ExpandedDevice = {
  readonly fid: Fid;
  readonly wwn: string;
  readonly serial: string;
  readonly path: string;
  readonly blockSize: number;
  readonly size: number;
  readonly slot?: number | undefined;
};

/** A Mero service with its fid; it answers where its process does. */
export type ExpandedService = {
  readonly fid: Fid;
  readonly type: Service['m0s_type']['tag'];
  readonly endpoint: string;
  readonly devices: readonly ExpandedDevice[];
};

/** Limits of a process's memory in bytes, 0 for none, as far as they are given. */
export type Limits = Readonly<Record<'as' | 'rss' | 'stack' | 'memlock', number | undefined>>;

/** An expanded process: with its fid, an endpoint that is its own, and values for its variables. */
export type ExpandedProcess = {
  readonly fid: Fid;
  readonly type: ProcessType;
  readonly endpoint: string;
  readonly memory: Limits;
  readonly cores: readonly number[];
  readonly environment: readonly EnvironmentVariable[];
  readonly services: readonly ExpandedService[];
};

/** A wanted process, its node, and its path in a file. */
export type Wanted = { readonly process: Process; readonly node: string; readonly path: Path };

/**
 * One process or, by its multiplicity, several, in order. A process that cannot be made is left out, with the reason in
 * `defects`.
 */
export function expandProcess(wanted: Wanted, taken: Taken, defects: Defect[]): ExpandedProcess[] {
  const processes: ExpandedProcess[] = [];
  const many = wanted.process.m0p_multiplicity ?? 1;
  for (let n = 1; n <= many; n++) {
    const process = expandOne(wanted, taken, defects);
    if (!process) break;
    processes.push(process);
  }
  return processes;
}

function expandOne({ process, node, path }: Wanted, taken: Taken, defects: Defect[]): ExpandedProcess | undefined {
  const configured = process.m0p_endpoint;
  const endpoint = taken.endpoint(configured);
  if (endpoint === undefined) {
    defects.push({ path: [...path, 'm0p_endpoint'], says: `no endpoint is free from ${configured} up to 65535` });
    return undefined;
  }
  const environment = environmentOf({ process, node, path }, taken, defects);
  if (!environment) return undefined;
  return {
    fid: taken.fid('process'),
    type: process.m0p_type,
    endpoint,
    memory: { as: process.m0p_mem_as, rss: process.m0p_mem_rss, stack: process.m0p_mem_stack, memlock: process.m0p_mem_memlock },
    cores: process.m0p_cores ?? [],
    environment,
    services: process.m0p_services.map((service) => expandService(service, endpoint, taken)),
  };
}

function environmentOf({ process, node, path }: Wanted, taken: Taken, defects: Defect[]): EnvironmentVariable[] | undefined {
  const variables: EnvironmentVariable[] = [];
  for (const [n, [key, value]] of (process.m0p_environment ?? []).entries()) {
    const name = variableName(key);
    if (value.tag === 'M0PEnvValue') {
      taken.hold(node, name, value.contents);
      variables.push({ name, value: value.contents });
      continue;
    }
    const free = taken.firstFree(node, name, value.contents);
    if (free === undefined) {
      const [low, high] = value.contents;
      defects.push({ path: [...path, 'm0p_environment', n], says: `the range ${low} to ${high} of ${key} is used up on ${node}` });
      return undefined;
    }
    variables.push({ name, value: free });
  }
  return variables;
}

const expandService = ({ m0s_type, m0s_devices = [] }: Service, endpoint: string, taken: Taken): ExpandedService => ({
  fid: taken.fid('service'),
  type: m0s_type.tag,
  endpoint,
  devices: m0s_devices.map((device) => expandDevice(device, taken)),
});

const expandDevice = ({ m0d_wwn, m0d_serial, m0d_path, m0d_bsize, m0d_size, m0d_slot }: Device, taken: Taken): ExpandedDevice => ({
  fid: taken.fid('device'),
  wwn: m0d_wwn,
  serial: m0d_serial,
  path: m0d_path,
  blockSize: m0d_bsize,
  size: m0d_size,
  slot: m0d_slot,
});
