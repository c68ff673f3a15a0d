import type { ExpandedDevice, ExpandedProcess } from '../expand/processes.ts';
import type { Device, Process } from '../process.ts';

/**
 * A process as a complete facts file has it: one of its kind, at its own endpoint, with the values that its variables
 * have.
 */
export const resolvedProcess = ({ endpoint, memory, cores, type, services, environment }: ExpandedProcess): Process => ({
  m0p_endpoint: endpoint,
  ...(memory.as !== undefined && { m0p_mem_as: memory.as }),
  ...(memory.rss !== undefined && { m0p_mem_rss: memory.rss }),
  ...(memory.stack !== undefined && { m0p_mem_stack: memory.stack }),
  ...(memory.memlock !== undefined && { m0p_mem_memlock: memory.memlock }),
  ...(cores.length > 0 && { m0p_cores: [...cores] }),
  m0p_type: type,
  m0p_services: services.map(({ type: tag, devices }) => ({
    m0s_type: { tag, contents: [] },
    ...(devices.length > 0 && { m0s_devices: devices.map(resolvedDevice) }),
  })),
  ...(environment.length > 0 && {
    m0p_environment: environment.map(({ name, value }): NonNullable<Process['m0p_environment']>[number] => [
      name,
      { tag: 'M0PEnvValue', contents: value },
    ]),
  }),
});

const resolvedDevice = ({ wwn, serial, path, blockSize, size, slot }: ExpandedDevice): Device => ({
  m0d_wwn: wwn,
  m0d_serial: serial,
  m0d_path: path,
  m0d_bsize: blockSize,
  m0d_size: size,
  ...(slot !== undefined && { m0d_slot: slot }),
});

/** How many numbers a process takes with its services and devices. */
export const numbersOf = ({ services }: Pick<ExpandedProcess, 'services'>): number =>
  services.reduce((sum, { devices }) => sum + 1 + devices.length, 1);
