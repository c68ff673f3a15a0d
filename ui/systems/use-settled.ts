import { useRef } from 'react';
import { pageSize } from './chain.ts';

/** Rows of a list, the first and the last of them. */
export type Span = { readonly from: number; readonly to: number };

/** Whether the list flies by, as when it is dragged by its scroll bar: it went past a page since it was drawn. */
export const flies = (before: number, from: number): boolean => Math.abs(from - before) > pageSize;

/**
 * The rows that are worth reading: those that are seen, or, while the list flies by, those that were seen before. Pages
 * that nobody can look at would be asked for and called off again by the dozen, and each costs its host a search.
 */
export function useSettled(from: number, to: number, isScrolling: boolean): Span {
  const drawn = useRef(from);
  const settled = useRef<Span>({ from, to });
  if (!isScrolling || !flies(drawn.current, from)) settled.current = { from, to };
  drawn.current = from;
  return settled.current;
}
