import { contract } from '../../../lib/contract.ts';
import type { Around, Cluster } from '../cluster.ts';
import { Person } from './people.ts';

/**
 * Somebody who pins client systems to nodes, hard and softly, and lets some of them go again; in a world that has such
 * a one.
 */
export function pinSome(around: Around, cluster: Cluster, isOver: () => boolean): void {
  const { pins, pinnedAtOnce = 1 } = around.config;
  if (!pins) return;
  const person = new Person('pinner', around, cluster, isOver);
  const some = async (): Promise<string[]> => {
    const fps: string[] = [];
    // One at a time is the most frequent.
    const count = pinnedAtOnce > 1 ? Math.ceil(person.random() ** 2 * pinnedAtOnce) : 1;
    for (let left = count; left > 0; left--) {
      const fp = await person.someSystem();
      if (fp) fps.push(fp);
    }
    return [...new Set(fps)];
  };
  const pin = async (): Promise<unknown> => {
    const [systems, node] = [await some(), await person.someNode()];
    return node && systems.length > 0 && person.ask(contract.pinSystems, { body: { systems, node, soft: person.random() < 0.5 } });
  };
  const unpin = async (): Promise<unknown> => {
    const systems = await some();
    return systems.length > 0 && person.ask(contract.unpinSystems, { body: { systems } });
  };
  person.work([pin, pin, pin, unpin]);
}
