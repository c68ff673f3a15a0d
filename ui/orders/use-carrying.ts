import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Carried, Order } from './carrying.ts';
import { orders } from './orders.ts';

/** All orders to many of this page; the component renders again as they go on. */
export const useOrders = (): readonly Carried[] => useSyncExternalStore(orders.subscribe, orders.all);

/**
 * An order to many that a dialog gives, once however often a person presses: how far it is, and how to stop it between
 * two steps. Once the dialog is closed the page tells of it.
 */
export function useCarrying() {
  const [id, setId] = useState<number>();
  // A second press may come before the first one is drawn.
  const given = useRef<number>(undefined);
  const carried = useOrders().find((one) => one.id === id);
  useEffect(() => (id === undefined ? undefined : () => orders.leave(id)), [id]);
  const show = (next: number | undefined): void => {
    given.current = next;
    setId(next);
  };
  const carry = (order: Order): void => {
    if (given.current === undefined) show(orders.begin(order).id);
  };
  const stop = (): void => {
    if (id !== undefined) orders.stop(id);
  };
  return { carried, carry, stop, reset: () => show(undefined) };
}
