import { contract } from '../../../lib/contract.ts';
import type { Around, Cluster } from '../cluster.ts';
import { Person } from './people.ts';

/** How often somebody is told that a node asks to come back, in ms. */
const noticesEveryMs = 30_000;
/** How long they take to look at the machine, in ms, at the most. */
const looksMs = 240_000;
/** How often they let a node in that they looked at, as a share of 1. */
const share = 0.8;

/**
 * Somebody readmits nodes that were given up, as the pool lists them, some time after `asks` says that there are any.
 * No call is made before: a world in which no node asks has the same history without.
 */
export function readmitSome(around: Around, cluster: Cluster, asks: () => boolean, isOver: () => boolean): void {
  const { kernel } = around;
  const person = new Person('readmitter', around, cluster, isOver);
  const readmit = async (): Promise<void> => {
    await kernel.wait(person.random() * looksMs, `${person.name} looks at machines`);
    const items = (await person.ask(contract.listNodePool, { query: {} }))?.items ?? [];
    const hosts = items.flatMap(({ fp, dropped }) => (dropped && person.random() < share ? [fp] : []));
    if (hosts.length > 0) await person.ask(contract.admitHosts, { body: { hosts } });
  };
  const next = (): void => {
    const awayMs = cluster.isAway ? cluster.asleepUntil - kernel.now : 0;
    kernel.after(awayMs + noticesEveryMs, `${person.name} is told of nodes that ask`, () => {
      if (!isOver()) void (asks() ? readmit() : Promise.resolve()).finally(next);
    });
  };
  next();
}
