import type { KeyboardEvent } from 'react';
import { useKeys } from '../kit/keys.ts';
import type { System } from './asks.ts';

/** What keys of a list do, and the row that is current. */
type ListKeys = {
  readonly index: number;
  readonly at: (index: number) => System | undefined;
  readonly goTo: (index: number) => void;
  readonly focus: () => void;
  readonly open: (system: System) => void;
  readonly toggle: (system: System) => void;
  readonly toggleAll: () => void;
};

/** Keys of the focused list, by how many rows they go. */
const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: Number.NEGATIVE_INFINITY };

/**
 * The keys of a list. Anywhere in the view, j and k go down and up, x selects, and * selects all that are shown; gives
 * what the focused list itself does with arrows, Enter and the space bar.
 */
export function useListKeys({ index, at, goTo, focus, open, toggle, toggleAll }: ListKeys): (event: KeyboardEvent) => void {
  const current = at(index);
  const go = (by: number): void => goTo(Math.max(0, index + by));
  const step = (by: number) => (): void => {
    // From here on the keys are those of the list: Enter opens what is current, whatever was pressed before.
    focus();
    go(by);
  };
  useKeys({ j: step(1), k: step(-1), x: () => current && toggle(current), '*': toggleAll });
  return (event) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = moves[event.key];
    if (by !== undefined) go(by);
    else if (event.key === 'Enter' && current) open(current);
    else if (event.key === ' ' && current) toggle(current);
    else return;
    event.preventDefault();
  };
}
