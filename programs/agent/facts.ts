import { createHash } from 'node:crypto';
import type { NetworkInterfaceInfo } from 'node:os';
import type { HostFacts, Load } from '../../events/reported/node.ts';
import type { Fqdn } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';

/** What the operating system reports of the host. */
export type HostReading = {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
  readonly os: string;
};

const interfacesMax = 64;
const mib = 2 ** 20;

/** The facts of a host as they travel in node-up. */
export function hostFacts(fqdn: Fqdn, { memoryBytes, cpus, interfaces, os }: HostReading): HostFacts {
  const all = Object.entries(interfaces).flatMap(([name, addresses]) => (addresses ?? []).map((one) => ({ name, ...one })));
  return {
    fqdn,
    address: addressOf(all),
    memoryMib: Math.floor(memoryBytes / mib),
    cpus,
    interfaces: all.slice(0, interfacesMax).map(({ name, address, mac }) => ({ name, address, mac })),
    os,
  };
}

/**
 * The address that others reach the host by: its first outward one, IPv4 before IPv6; loopback where it has no other.
 */
function addressOf(all: readonly NetworkInterfaceInfo[]): string {
  const outward = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (outward.find(({ family }) => family === 'IPv4') ?? outward[0] ?? all[0])?.address ?? '127.0.0.1';
}

/** How busy the host is. `averages` over 1, 5 and 15 minutes; memory in bytes. */
export function loadOf(averages: readonly number[], memoryBytes: number, freeBytes: number, systems: number): Load {
  const [load1 = 0, load5 = 0, load15 = 0] = averages;
  return {
    load1,
    load5,
    load15,
    memoryUsedMib: Math.floor((memoryBytes - freeBytes) / mib),
    memoryMib: Math.floor(memoryBytes / mib),
    systems,
  };
}

/**
 * The identity of a boot of the kernel: its own id, or, where the kernel has none, a hash of the minute it started in.
 * A change of the clock may shift that minute and look like a reboot, which is the safer mistake of the two.
 */
export const kernelBoot = (bootId: string, now: EpochMs, uptimeSeconds: number): string =>
  bootId ||
  createHash('sha256')
    .update(`started at minute ${Math.round((now / 1000 - uptimeSeconds) / 60)}`)
    .digest('hex')
    .slice(0, 32);
