import { contract } from '../../../lib/api/contract.ts';
import type { Around, Cluster } from '../cluster.ts';
import { Person } from './people.ts';

/** Somebody who pins client systems to nodes, hard and softly, and lets some of them go again; in a world that has such a one. */
export function pinSome(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.pins) return;
  const person = new Person('pinner', around, cluster, isOver);
  const pin = async (): Promise<unknown> => {
    const [fp, node] = [await person.someSystem(), await person.someNode()];
    return fp && node && person.ask(contract.pinSystems, { body: { systems: [fp], node, soft: person.random() < 0.5 } });
  };
  const unpin = async (): Promise<unknown> => {
    const fp = await person.someSystem();
    return fp && person.ask(contract.unpinSystems, { body: { systems: [fp] } });
  };
  person.work([pin, pin, pin, unpin]);
}
