import { type Daemon, startDaemon } from '../../client/daemon.ts';
import type { ApiClient } from '../../lib/api/client.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import { keyPairOf } from '../support/signing.ts';
import type { Drive } from './drivers.ts';
import type { Nodes } from './nodes.ts';

/** Client systems, each with the real daemon. */
export type Clients = {
  /** The fingerprints of those that have been started. */
  readonly fps: readonly string[];
  start(): void;
  knockNow(fps: readonly string[]): void;
  stop(): void;
};

/** Nobody yet; each `start` adds one. What a daemon drives is being present on its node, and it looks at nodes in this process. */
export function someClients(nodes: () => Nodes, { world }: Drive, apiOf: (pair: KeyPair) => ApiClient): Clients {
  const daemons = new Map<string, Daemon>();
  const fps: string[] = [];
  return {
    fps,
    start: () => {
      const fqdn = `web${fps.length}.chaos.test`;
      const pair = keyPairOf(fqdn);
      const { publicKey } = pair;
      const fp: string = fingerprintOf(publicKey);
      fps.push(fp);
      const daemon = startDaemon({
        api: apiOf(pair),
        machine: { fp, publicKey, fqdn, machineId: fqdn, facts: {}, tags: [] },
        driver: {
          start: async (node) => {
            nodes().enter(fp, node);
            return { ok: true };
          },
          stop: async () => {
            nodes().leave(fp);
            return { ok: true };
          },
        },
        kept: { phase: 'unheard' },
        keep: () => undefined,
        isHeard: async ({ host }) => nodes().isAlive(host),
        say: () => undefined,
        ended: () => undefined,
        world,
      });
      daemons.set(fp, daemon);
    },
    knockNow: (some) => {
      for (const fp of some) daemons.get(fp)?.knockNow();
    },
    stop: () => {
      for (const daemon of daemons.values()) daemon.stop();
    },
  };
}
