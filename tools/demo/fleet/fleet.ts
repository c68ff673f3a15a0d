import type { ApiClient } from '../../../lib/api/client.ts';
import { newKeyPair } from '../../../lib/identity/key-pair.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { isHeard } from '../../../programs/client/watch.ts';
import { signedSystem, someSystems } from '../../../programs/loadtest/systems.ts';
import type { Look } from './messages.ts';
import type { Presence } from './presence.ts';
import { after, type Tracked } from './tracked.ts';

/** Many client daemons in one process, each with a key of its own. */
export type Fleet = { look(): Look; knockNow(fps: readonly string[]): void; stop(): void };

/** Starts so many client daemons against a deployment; they drive their presence on their node. */
export function startFleet(systems: number, { endpoint, presence, world }: { endpoint: string; presence: Presence; world: World }): Fleet {
  const calls: Record<string, number> = {};
  const where = new Map<string, Tracked>();
  const fleet = someSystems({
    apiOf: (pair) => counting(signedSystem(endpoint, pair, { world }), calls),
    presence,
    isHeard,
    recorded: (fp, { phase, place }) => where.set(fp, after(where.get(fp), phase === 'onboarded' ? place?.fqdn : undefined, world.now())),
    world,
  });
  for (let n = 1; n <= systems; n++)
    fleet.start(newKeyPair(), { fqdn: `web${n}.demo.muster.test`, machineId: `demo-${n}`, tags: ['demo'] });
  return {
    look: () => ({
      systems: Object.fromEntries([...where].map(([fp, { last: _last, ...whereabouts }]) => [fp, whereabouts])),
      calls: { ...calls },
    }),
    knockNow: fleet.knockNow,
    stop: fleet.stop,
  };
}

/** Counts calls by the last part of their path: knock, status, orphan. */
const counting =
  (api: ApiClient, calls: Record<string, number>): ApiClient =>
  (route, sent) => {
    const name = route.path.slice(route.path.lastIndexOf('/') + 1);
    calls[name] = (calls[name] ?? 0) + 1;
    return api(route, sent);
  };
