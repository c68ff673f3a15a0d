import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { minionOf as provedBy } from '../../../tools/support/minion-keys.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Knocker } from './knocking.ts';
import { Line } from './network.ts';
import type { SimulatedSystem } from './system.ts';

/** How often somebody knocks as another, in ms, on the mean. */
const everyMs = 10_000;

type Machines = { readonly systems: readonly SimulatedSystem[]; readonly isOver: () => boolean };

/** Somebody who knocks as machines that are others', and whoever was banned and comes back in another shape. */
export function pretend(around: Around, cluster: Cluster, { systems, isOver }: Machines): void {
  const { kernel, faults } = around;
  const random = kernel.random('impostor');
  const knocker = new Knocker(kernel, new Line('impostor', around, cluster));
  let shapes = 0;
  const knocks = async (system: SimulatedSystem): Promise<void> => {
    const own = keyPairOf(`impostor ${Math.floor(random() * 4)}`);
    const { minion, publicKey } = system;
    // The proof as it went over the line: for the daemon of its own machine.
    const captured = minion && provedBy(minion.id, minion, system.fp);
    const shape = () => {
      shapes += 1;
      const pair = keyPairOf(`${system.name} in shape ${shapes}`);
      system.shapes.add(fingerprintOf(pair.publicKey));
      return pair;
    };
    const another = system.ended ? shape() : own;
    const proof = minion && provedBy(minion.id, minion, fingerprintOf(another.publicKey));
    const ways = [
      () => knocker.knock({ body: { publicKey }, by: own }),
      () => knocker.knock({ body: { publicKey }, by: own, keyId: system.fp }),
      () => knocker.knock({ body: { publicKey } }),
      () => knocker.knock({ body: { publicKey: own.publicKey, ...(captured && { minion: captured }) }, by: own }),
      // Who was banned holds its keys still: it knocks by them, and by another one beside the minion's.
      ...(system.ended
        ? [
            () => knocker.knock({ body: { publicKey, fqdn: system.fqdn }, by: system.pair }),
            () => knocker.knock({ body: { publicKey: another.publicKey, ...(proof && { minion: proof }) }, by: another }),
            () => knocker.knock({ body: { publicKey: another.publicKey, ...(proof && { minion: proof }) }, by: another }),
          ]
        : []),
    ];
    await oneOf(random, ways)!();
  };
  const next = (): void => {
    const awayMs = cluster.isAway ? cluster.asleepUntil - kernel.now : 0;
    kernel.after(awayMs + random() * 2 * everyMs, 'an impostor knocks', () => {
      const system = oneOf(random, systems);
      if (isOver()) return;
      if (system && faults.hits('impostor', 4)) void knocks(system).finally(next);
      else next();
    });
  };
  next();
}
