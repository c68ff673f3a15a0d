import { useEffect, useState } from 'react';
import { pageSize } from './chain.ts';
import type { Pages } from './use-pages.ts';

/** The row that keys act on: the client system that was there, which may have moved since. */
type Current = { readonly index: number; readonly fp: string | undefined };

/**
 * The row of a list that is current, and how to make another one current. `open`: the client system that is shown
 * beside the list. Another list, by its key, begins without one.
 */
export function useCurrent(pages: Pages, key: string, open: string | undefined): [number, (index: number, fp: string) => void] {
  const [current, setCurrent] = useState<Current>({ index: -1, fp: open });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins anew
  useEffect(() => setCurrent({ index: -1, fp: open }), [key]);
  // Who opens a row by the mouse goes on from there by keys.
  useEffect(() => {
    if (open !== undefined) setCurrent(({ index }) => ({ index, fp: open }));
  }, [open]);
  return [placeNow(current, pages), (index, fp) => setCurrent({ index, fp })];
}

/** Where the client system of the current row is now: where it was, or not far from there. */
function placeNow({ index, fp }: Current, pages: Pages): number {
  if (fp === undefined) return index;
  for (let away = 0; away <= pageSize; away++) {
    if (pages.at(index + away)?.fp === fp) return index + away;
    if (index >= away && pages.at(index - away)?.fp === fp) return index - away;
  }
  return index;
}
