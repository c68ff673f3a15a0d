import type { Carried, Ended } from './carrying.ts';

/** How many of an order were done, how many were not, and how many have no result. */
export type Tally = { readonly done: number; readonly not: number; readonly rest: number };

/** Counts what became of those that an order is for. */
export function tallyOf({ of, outcomes }: Pick<Carried, 'of' | 'outcomes'>): Tally {
  const sum = (isDone: boolean): number => outcomes.reduce((n, one) => n + (one.done === isDone ? one.n : 0), 0);
  const [done, not] = [sum(true), sum(false)];
  return { done, not, rest: Math.max(0, of - done - not) };
}

/** How an order ended, in a few words. */
export function endText({ is }: Ended): string {
  switch (is) {
    case 'done':
      return 'Done.';
    case 'stopped':
      return 'Stopped.';
    case 'changed':
      return 'Others match by now.';
    case 'failed':
      return 'It ended early.';
    case 'left':
      return 'It was cut off: the page was loaded anew meanwhile.';
  }
}

/** What is said of those without a result; `rest` is how many they are, in words. */
export function restText({ is }: Ended, rest: string): string {
  switch (is) {
    case 'stopped':
    case 'changed':
      return `Nothing was done to ${rest}.`;
    case 'done':
      return `There was no result for ${rest}.`;
    case 'failed':
    case 'left':
      return `${rest} had no answer. The same order can be given to all of them again.`;
  }
}
