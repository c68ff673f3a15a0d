import { contract } from '../../../lib/contract.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Person } from './people.ts';

/** Zones that nobody needs: they come and go. */
const spares = ['spare1', 'spare2'] as ZoneName[];

/**
 * Somebody who makes zones, sets what an empty one may be set, and tries to delete any: of those with somebody in them
 * none may go.
 */
export function planZones(around: Around, cluster: Cluster, isOver: () => boolean): void {
  const planner = new Person('planner', around, cluster, isOver);
  const { random } = planner;
  const some = (names: readonly ZoneName[]): ZoneName => oneOf(random, names)!;
  const all = [...cluster.zones.names.slice(1), ...spares];
  const remove = (names: readonly ZoneName[]) => () => planner.ask(contract.deleteZone, { params: { zone: some(names) }, body: {} });
  planner.work([
    () => planner.ask(contract.createZone, { body: { name: some(all) } }),
    () => planner.ask(contract.createZone, { body: { name: some(spares), remapAfterMs: 60_000 } }),
    () => planner.ask(contract.editZone, { params: { zone: some(spares) }, body: { remapAfterMs: oneOf(random, [0, 60_000, null])! } }),
    remove(all),
    remove(spares),
  ]);
}
