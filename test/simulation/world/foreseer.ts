import { contract } from '../../../lib/contract.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Person } from './people.ts';

/** The orders that are asked about, with a node. */
const orders = ['drop', 'drain', 'lose'] as const;

/** Somebody asks again and again what would happen if a node were dropped, drained or lost, and leaves it at that. */
export function foresee(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.previews) return;
  const person = new Person('foreseer', around, cluster, isOver);
  person.work([
    async () => {
      const nodes = (await person.ask(contract.listNodes, { query: {} }))?.items ?? [];
      const node = oneOf(person.random, nodes);
      const order = oneOf(person.random, orders);
      if (node && order) await person.ask(contract.previewZone, { params: { zone: node.zone }, query: { [order]: node.id } });
    },
  ]);
}
