import type { ApiClient } from '../../lib/api/client.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import type { ClientState } from '../../programs/client/state.ts';
import type { Nodes } from '../../programs/loadtest/nodes.ts';
import { someSystems } from '../../programs/loadtest/systems.ts';
import { keyPairOf } from '../../tools/support/signing.ts';
import type { Drive } from './drivers.ts';

/** Client systems, each with the real daemon. */
export type Clients = {
  /** The fingerprints of those that have been started. */
  readonly fps: readonly string[];
  start(): void;
  knockNow(fps: readonly string[]): void;
  /** What the daemon of one is about. */
  stateOf(fp: string): ClientState | undefined;
  stop(): void;
};

/**
 * Nobody yet; each `start` adds one. What a daemon drives is being present on its node, and it looks at nodes in this
 * process.
 */
export function someClients(nodes: () => Nodes, { world }: Drive, apiOf: (pair: KeyPair) => ApiClient): Clients {
  const systems = someSystems({
    apiOf,
    presence: { enter: (fp, fqdn) => nodes().enter(fp, fqdn), leave: (fp) => nodes().leave(fp) },
    isHeard: async ({ host }) => nodes().isAlive(host),
    world,
  });
  return {
    ...systems,
    start: () => {
      const fqdn = `web${systems.fps.length}.chaos.test`;
      systems.start(keyPairOf(fqdn), { fqdn, machineId: fqdn, tags: [] });
    },
  };
}
