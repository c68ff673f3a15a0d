import { contract } from '../../../lib/contract.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Person } from './people.ts';

/** Somebody has the rates of zones follow what nodes bear, sets ceilings, and gives some nodes a rate of their own. */
export function setRates(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.adapts) return;
  const pacer = new Person('pacer', around, cluster, isOver);
  const { random } = pacer;
  const some = <T>(...of: readonly T[]): T => oneOf(random, of)!;
  const params = () => ({ zone: oneOf(random, cluster.zones.names)! });
  const adapts = (): object => ({ admission: 'adapts-at-once', admitAtMostEveryMs: some(500, 2_000, 8_000) });
  pacer.work([
    () => pacer.ask(contract.editZone, { params: params(), body: adapts() }),
    () => pacer.ask(contract.editZone, { params: params(), body: adapts() }),
    () => pacer.ask(contract.editZone, { params: params(), body: { admission: some('fixed', 'adapts') } }),
    async () => {
      const nodes = (await pacer.ask(contract.listNodes, { query: {} }))?.items ?? [];
      const node = oneOf(random, nodes);
      if (node) await pacer.ask(contract.editNode, { params: { id: node.id }, body: { admitEveryMs: some(null, null, 4_000) } });
    },
  ]);
}
