import type { Carried, Memory } from './carrying.ts';

const key = 'muster-orders';
/** How many reasons are remembered of an order, the most frequent first. */
const outcomesMax = 20;

/** What is remembered of an order: how many had which outcome, and not who. */
const brief = (one: Carried): Carried => ({
  ...one,
  outcomes: one.outcomes.slice(0, outcomesMax).map((outcome) => ({ ...outcome, results: [] })),
});

/** Remembers orders in a tab of the browser, until it is closed. */
export const memoryIn = (store: Pick<Storage, 'getItem' | 'setItem'>): Memory => ({
  read: () => {
    try {
      const all: unknown = JSON.parse(store.getItem(key) ?? '[]');
      return Array.isArray(all) ? all.filter(isCarried) : [];
    } catch {
      // Somebody has written something else there: it is written anew with the next order.
      return [];
    }
  },
  write: (all) => store.setItem(key, JSON.stringify(all.map(brief))),
});

const isCarried = (one: unknown): one is Carried =>
  typeof one === 'object' &&
  one !== null &&
  ['id', 'of'].every((name) => typeof Reflect.get(one, name) === 'number') &&
  typeof Reflect.get(one, 'title') === 'string' &&
  Array.isArray(Reflect.get(one, 'outcomes'));
