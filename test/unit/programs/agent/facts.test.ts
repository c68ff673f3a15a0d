import type { NetworkInterfaceInfo } from 'node:os';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { HostFacts, Load } from '../../../../events/reported/node.ts';
import type { Fqdn } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { osName } from '../../../../lib/machine/os-name.ts';
import { hostFacts, kernelBoot, loadOf } from '../../../../programs/agent/facts.ts';

const fqdn = 'node1.acme.test' as Fqdn;
const at = (address: string, { family = 'IPv4', internal = false } = {}): NetworkInterfaceInfo =>
  ({ address, netmask: '', family, mac: '02:00:00:00:00:01', internal, cidr: null }) as NetworkInterfaceInfo;
const factsWith = (interfaces: Record<string, NetworkInterfaceInfo[]>) =>
  hostFacts(fqdn, { memoryBytes: 8 * 2 ** 30 + 5, cpus: 4, interfaces, os: 'Debian' });

describe('the facts of a host', () => {
  it('are its name, memory in MiB, CPUs, and every interface with address and hardware address', () => {
    expect(factsWith({ lo: [at('127.0.0.1', { internal: true })], eth0: [at('10.0.0.7')] })).toEqual({
      fqdn,
      address: '10.0.0.7',
      memoryMib: 8192,
      cpus: 4,
      interfaces: [
        { name: 'lo', address: '127.0.0.1', mac: '02:00:00:00:00:01' },
        { name: 'eth0', address: '10.0.0.7', mac: '02:00:00:00:00:01' },
      ],
      os: 'Debian',
    });
  });

  it.each([
    ['IPv4 before IPv6', { eth0: [at('fd00::7', { family: 'IPv6' }), at('10.0.0.7')] }, '10.0.0.7'],
    ['IPv6 where it has no other', { lo: [at('127.0.0.1', { internal: true })], eth0: [at('fd00::7', { family: 'IPv6' })] }, 'fd00::7'],
    ['no link-local address', { eth0: [at('fe80::1', { family: 'IPv6' }), at('fd00::7', { family: 'IPv6' })] }, 'fd00::7'],
    ['loopback when that is all', { lo: [at('127.0.0.1', { internal: true })] }, '127.0.0.1'],
    ['loopback when there is nothing', {}, '127.0.0.1'],
  ])('name the address that others reach it by: %s', (_why, interfaces, address) => {
    expect(factsWith(interfaces).address).toBe(address);
  });

  it('of this host are such as Muster takes', () => {
    const facts = hostFacts(fqdn, { memoryBytes: 2 ** 33, cpus: 2, interfaces: networkInterfaces(), os: osName() });
    expect(HostFacts.parse(facts)).toEqual(facts);
  });

  it('leave out what does not fit in a report', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`veth${i}`, [at(`10.0.1.${i}`)]]));
    expect(factsWith(many).interfaces).toHaveLength(64);
  });
});

describe('load', () => {
  it('is averages, memory in MiB and how many client systems are seen', () => {
    const load = loadOf([0.5, 0.25, 0.1], 8 * 2 ** 30, 3 * 2 ** 30, 7);
    expect(load).toEqual({ load1: 0.5, load5: 0.25, load15: 0.1, memoryUsedMib: 5120, memoryMib: 8192, systems: 7 });
    expect(Load.parse(load)).toEqual(load);
  });
});

describe('the boot of the kernel', () => {
  const now = 1_700_000_000_000 as EpochMs;

  it('is known by its own id', () => {
    expect(kernelBoot('e285-id', now, 100)).toBe('e285-id');
  });

  it('is known by the minute it started in where it has none', () => {
    const before = kernelBoot('', now, 3_600);
    expect(kernelBoot('', (now + 50_000_000) as EpochMs, 53_600)).toBe(before);
    expect(kernelBoot('', (now + 50_000_000) as EpochMs, 30)).not.toBe(before);
  });
});

describe('the operating system', () => {
  it('is called as its makers call it', () => {
    expect(osName(() => 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')).toBe('Debian GNU/Linux 13 (trixie)');
  });

  it('is the kernel where nobody says', () => {
    expect(
      osName(() => {
        throw new Error('no such file');
      }),
    ).toMatch(/^\w+ \d/);
  });
});
