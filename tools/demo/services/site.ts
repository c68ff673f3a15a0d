import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Child, outputOf, program, startChild } from '../child.ts';
import { freePorts } from '../ports.ts';

/** The network of the hosts of the demo: this machine's loopback, or networks of their own. */
export type Site = {
  /** The words before a command that make it run on a host. */
  within(host: string): readonly string[];
  /** The watch address of a host, on the site's network. */
  watch(host: string): string;
  /**
   * Cuts and restores a host's way to Muster. The site's own network stays as it is. Undefined where there is one
   * network for everything.
   */
  readonly uplink: ((host: string, is: 'up' | 'down') => Promise<void>) | undefined;
};

/** The parts of a site: its hosts, the port of Muster on loopback, and the processes that are started for it. */
export type SiteOptions = { readonly hosts: readonly string[]; readonly port: number; readonly children: Set<Child> };

/** All hosts on the loopback of this machine, each watched on a port of its own. */
export async function onLoopback({ hosts }: SiteOptions): Promise<Site> {
  const ports = await freePorts(hosts.length);
  return { within: () => [], watch: (host) => `127.0.0.1:${ports[hosts.indexOf(host)]}`, uplink: undefined };
}

const run = promisify(execFile);
const ip = async (...words: readonly string[]): Promise<void> => void (await run('ip', words));

/**
 * The two networks: that of the site, on which hosts see each other, and that by which they reach Muster, which is at
 * its first address.
 */
const networks = { site: '10.77.1', uplink: '10.77.2' } as const;
type Network = keyof typeof networks;
const addressIn = (network: Network, n: number): string => `${networks[network]}.${n + 10}`;

/**
 * Each host in a network namespace of its own, on two networks that exist nowhere else. The calling process must be in
 * a network namespace of its own, and may administer it. Muster stays on loopback: connections to it are handed on at
 * both ends. Throws when this machine does not allow it.
 */
export async function inNamespaces({ hosts, port, children }: SiteOptions): Promise<Site> {
  await ip('link', 'set', 'lo', 'up');
  for (const network of ['site', 'uplink'] as const) {
    await ip('link', 'add', network, 'type', 'bridge');
    await ip('address', 'add', `${networks[network]}.1/24`, 'dev', network);
    await ip('link', 'set', network, 'up');
  }
  const forward = async (within: readonly string[], from: string, to: string): Promise<void> => {
    const child = startChild(`what hands on ${from}`, [program('tools/demo/services/forward.ts'), from, to], { within });
    children.add(child);
    await outputOf(child, /(it forwards)/);
  };
  const [near, far] = [`127.0.0.1:${port}`, `${networks.uplink}.1:${port}`];
  await forward([], far, near);
  const entries = await Promise.all(hosts.map((host, n) => aHost(host, n, children)));
  await Promise.all(entries.map((entry) => forward(entry, near, far)));
  return {
    within: (host) => entries[hosts.indexOf(host)]!,
    watch: (host) => `${addressIn('site', hosts.indexOf(host))}:4505`,
    uplink: (host, is) => ip('link', 'set', `uplink${hosts.indexOf(host)}`, is),
  };
}

/**
 * Makes the namespace of a host, which exists as long as a process in it; gives the words with which others enter it.
 */
async function aHost(host: string, n: number, children: Set<Child>): Promise<readonly string[]> {
  const holder = startChild(`the namespace of ${host}`, ['-e', "process.stdout.write('there\\n'); setInterval(() => {}, 2 ** 30)"], {
    within: ['unshare', '--net'],
  });
  children.add(holder);
  await outputOf(holder, /(there)/);
  const pid = String(holder.process.pid);
  const entry = ['nsenter', `--net=/proc/${pid}/ns/net`];
  const within = (...words: readonly string[]) => run(entry[0]!, [...entry.slice(1), 'ip', ...words]);
  for (const network of ['site', 'uplink'] as const) {
    await ip('link', 'add', `${network}${n}`, 'type', 'veth', 'peer', 'name', 'inside', 'netns', pid);
    await ip('link', 'set', `${network}${n}`, 'master', network, 'up');
    await within('link', 'set', 'inside', 'name', network);
    await within('address', 'add', `${addressIn(network, n)}/24`, 'dev', network);
    await within('link', 'set', network, 'up');
  }
  await within('link', 'set', 'lo', 'up');
  return entry;
}
