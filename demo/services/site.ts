import { freePorts } from '../ports.ts';

/** What the hosts of the demo stand on: this machine's loopback, or a network of their own. */
export type Site = {
  /** What is put before a command for it to run on a host. */
  within(host: string): readonly string[];
  /** Where a host is seen to live, on the site's network. */
  watch(host: string): string;
  /** Takes a host's way to Muster away, and gives it back. The site's own network stays as it is. Undefined where there is one network for everything. */
  readonly uplink: ((host: string, is: 'up' | 'down') => Promise<void>) | undefined;
  /** Makes Muster, which listens on loopback, be there for all hosts. */
  reach(port: number): Promise<void>;
};

/** All hosts on the loopback of this machine, each seen on a port of its own. */
export async function onLoopback(hosts: readonly string[]): Promise<Site> {
  const ports = await freePorts(hosts.length);
  return {
    within: () => [],
    watch: (host) => `127.0.0.1:${ports[hosts.indexOf(host)]}`,
    uplink: undefined,
    reach: async () => {},
  };
}
