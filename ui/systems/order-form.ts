import { useLayoutEffect } from 'react';
import type { Order } from './acts.tsx';

/** Takes the order that a form stands for, or undefined while that is not clear. */
export type Give = (order: Order | undefined) => void;

/** Gives an order as what it is made of changes, at once: Enter may follow right behind the last key. */
export function useOrder(give: Give, order: Order | undefined, of: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` says what the order is made of
  useLayoutEffect(() => give(order), [of]);
}

/** What an order without anything to choose does. */
export const sure: Readonly<Record<'unpin' | 'unregister', string>> = {
  unpin: 'They go by their slots again, and move to the nodes that own these.',
  unregister: 'They are taken off their nodes. Their keys stay accepted, and each is assigned a node again when it calls.',
};
