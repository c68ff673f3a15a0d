import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { newKeyPair } from '../../../lib/identity/key-pair.ts';
import { isHeard } from '../../../programs/client/watch.ts';
import { world } from '../../../programs/loadtest/machine.ts';
import { signedSystem, someSystems } from '../../../programs/loadtest/systems.ts';
import { minionKeyOf, minionOf } from '../../support/minion-keys.ts';
import type { Minion } from '../../support/uyuni/salt/minion.ts';
import type { Whereabouts } from '../fleet/messages.ts';
import { after, type Tracked } from '../fleet/tracked.ts';
import type { Servers } from './servers.ts';

/** The client daemons of the systems, each beside its minion, which it drives. */
export type Daemons = {
  /** Starts the daemon of the system that has this minion. */
  start(minion: Minion): void;
  /** Where each system is by the daemon beside its minion. */
  look(): ReadonlyMap<string, Whereabouts>;
  stop(): void;
};

/**
 * No daemons yet. All of them are in this process; they call this deployment, and have their minions call `servers`.
 */
export function someDaemons(endpoint: string, servers: Servers): Daemons {
  const minions = new Map<string, Minion>();
  const where = new Map<string, Tracked>();
  const minionOfDaemon = (fp: string): Minion => minions.get(fp)!;
  const systems = someSystems({
    apiOf: (pair) => signedSystem(endpoint, pair, { world }),
    presence: {
      enter: (fp, fqdn) => servers.move(minionOfDaemon(fp), fqdn),
      leave: (fp) => servers.silence(minionOfDaemon(fp)),
    },
    isHeard,
    recorded: (fp, { phase, place }) => {
      const { id } = minionOfDaemon(fp);
      where.set(id, after(where.get(id), phase === 'onboarded' ? place?.fqdn : undefined, world.now()));
    },
    world,
  });
  return {
    start: (minion) => {
      const pair = newKeyPair();
      const fp = fingerprintOf(pair.publicKey);
      const { id, machineId } = minion;
      const key = minionKeyOf(id);
      minions.set(fp, minion);
      systems.start(pair, { fqdn: id, machineId, tags: [], minion: () => minionOf(id, key, fp) });
    },
    look: () => where,
    stop: systems.stop,
  };
}
