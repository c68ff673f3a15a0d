import type { Fqdn } from '../../lib/core/ids.ts';
import { type EpochMs, plusMs, secondMs } from '../../lib/core/time.ts';
import { seedHome } from '../../tools/bench/sites/seeded-home.ts';

/** Nodes of a seeded deployment. They are up for a day without saying anything. */
const nodes = 12;

/** The name of the n-th client system: by name they are in the order of their numbers. */
export const nameOf = (n: number): Fqdn => `m${String(n).padStart(6, '0')}.acme.test` as Fqdn;

/**
 * In the order of when they were seen, the newest first, the number of each is that of the one before and so many more,
 * counted in a circle. A prime that divides no round number has each of them once.
 */
export const seenStride = 7_919;

const roles = ['web', 'db', 'cache', 'queue', 'mail'] as const;

/**
 * Puts so many client systems into a state folder that does not exist yet, each onboarded, with a name, a tag, and a
 * moment at which it was seen of its own. Nothing of them changes by itself.
 */
export async function seeded(home: string, clients: number): Promise<void> {
  const at = Date.now() as EpochMs;
  const before = new Uint32Array(clients);
  for (let others = 0; others < clients; others++) before[(others * seenStride) % clients] = others;
  const own = (n: number) => ({
    fqdn: nameOf(n),
    machineId: `machine-${n}`,
    tags: [roles[n % roles.length]!],
    seenAt: plusMs(at, -(1 + before[n]!) * secondMs),
  });
  await seedHome(home, { clients, nodes, at, speak: 0, own });
}
