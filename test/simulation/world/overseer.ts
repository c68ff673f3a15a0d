import { contract } from '../../../lib/contract.ts';
import { supervisorType } from '../../../lib/services/service.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** Somebody who has supervisors run on hosts, and stops some. */
export function orderSupervisors(around: Around, cluster: Cluster, hosts: readonly SimulatedHost[], isOver: () => boolean): void {
  if (!around.config.supervisors) return;
  const overseer = new Person('overseer', around, cluster, isOver);
  const order = (route: typeof contract.startService | typeof contract.stopService) => (): Promise<unknown> => {
    const { fqdn, zone = defaultZone } = oneOf(overseer.random, hosts)!;
    return overseer.ask(route, { params: { zone, type: supervisorType }, body: { node: fqdn } });
  };
  overseer.work([order(contract.startService), order(contract.startService), order(contract.stopService)]);
}
