import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { System, Wanted } from './asks.ts';
import { type Chain, grown, pagesFor, placeOf, unread } from './chain.ts';
import { findPage } from './find-page.ts';

/** What is known of a list, and of which list that is known. */
export type Known = { readonly key: string; readonly chain: Chain; readonly learn: (chain: Chain) => void };

/** The list as far as it was read: the client system of a row if it is at hand, and why there are none. */
export type Pages = {
  readonly at: (index: number) => System | undefined;
  /** All that are at hand, in their order. */
  readonly all: () => readonly System[];
  readonly error: unknown;
  /** Rows of the list before are shown, until the first page of this one is here. */
  readonly isOld: boolean;
};

/** Pages away from what is seen that stay at hand. */
const nearby = 3;

/** What is known of a list; nothing once another one is wanted. */
export function useKnown({ q, sort, isDown }: Wanted): Known {
  const key = `${sort} ${isDown} ${q}`;
  const [state, setState] = useState({ key, chain: unread });
  const chain = state.key === key ? state.chain : unread;
  const learn = (next: Chain): void => {
    if (state.key !== key || state.chain !== next) setState({ key, chain: next });
  };
  return { key, chain, learn };
}

/** Reads the pages of a list around rows `from` to `to`, and reads them again as they change. */
export function usePages(wanted: Wanted, { key, chain, learn }: Known, from: number, to: number): Pages {
  const kept = useRef({ key, items: new Map<number, readonly System[]>() });
  const seen = pagesFor(chain, from, to);
  const answers = useQueries({ queries: seen.map((page) => findPage(wanted, chain.cursors[page] ?? '')) });
  const after = seen.reduce((so, page, n) => (answers[n]?.data ? grown(so, page, answers[n].data) : so), chain);
  const { items } = kept.current;
  for (const [n, page] of seen.entries()) {
    const data = answers[n]?.data;
    if (data === undefined) continue;
    if (kept.current.key !== key) items.clear();
    kept.current.key = key;
    items.set(page, data.items);
  }
  for (const page of items.keys()) if (page < seen[0]! - nearby || page > seen.at(-1)! + nearby) items.delete(page);
  useEffect(() => learn(after));
  return {
    at: (index) => {
      const { page, at } = placeOf(after, index);
      return items.get(page)?.[at];
    },
    all: () => (kept.current.key === key ? [...items].sort(([a], [b]) => a - b).flatMap(([, some]) => some) : []),
    error: answers.find(({ error }) => error !== null)?.error,
    isOld: kept.current.key !== key,
  };
}
