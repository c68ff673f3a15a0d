import { contract } from '../../../lib/contract.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Person } from './people.ts';

/** Somebody who sets zones: into recovery mode and back, how long a lost node is waited for, and what is frozen. */
export function steerZones(around: Around, cluster: Cluster, isOver: () => boolean): void {
  const steerer = new Person('steerer', around, cluster, isOver);
  const { random } = steerer;
  const params = () => ({ zone: oneOf(random, cluster.zones.names)! });
  const some = <T>(...of: readonly T[]): T => oneOf(random, of)!;
  steerer.work([
    () => steerer.ask(contract.editZone, { params: params(), body: { mode: 'recovery', meanwhile: some('hold', 'elsewhere') } }),
    () => steerer.ask(contract.editZone, { params: params(), body: { mode: 'recovery' } }),
    () => steerer.ask(contract.editZone, { params: params(), body: { mode: 'production' } }),
    () => steerer.ask(contract.editZone, { params: params(), body: { remapAfterMs: some(0, 60_000, 600_000, null) } }),
    () => steerer.ask(contract.freezeZone, { params: params(), body: { what: some('moves', 'expiry', 'all') } }),
    () => steerer.ask(contract.unfreezeZone, { params: params(), body: {} }),
    () => steerer.ask(contract.unfreezeZone, { params: params(), body: {} }),
    () => steerer.ask(contract.calmZone, { params: params(), body: {} }),
  ]);
}

/** Once it is calm an operator lets every zone go on as usual. */
export async function letGo(operator: Person, { zones }: Cluster): Promise<void> {
  for (const zone of zones.names) {
    await operator.ask(contract.unfreezeZone, { params: { zone }, body: {} });
    await operator.ask(contract.editZone, { params: { zone }, body: { mode: 'production', meanwhile: 'elsewhere', remapAfterMs: null } });
  }
}
