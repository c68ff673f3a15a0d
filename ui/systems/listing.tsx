import { useEffect, useMemo, useRef, useState } from 'react';
import type { Sort, System, Wanted } from './asks.ts';
import { pageSize, rowsOf } from './chain.ts';
import { List, useRows } from './list.tsx';
import { useListKeys } from './list-keys.ts';
import type { RowActions } from './row.tsx';
import { type Pages, useKnown, usePages } from './use-pages.ts';

type ListingProps = {
  readonly wanted: Wanted;
  readonly total: number;
  readonly isNarrow: boolean;
  readonly open: string | undefined;
  readonly chosen: ReadonlyMap<string, System>;
  readonly onOpen: (system: System) => void;
  readonly onChoose: (systems: readonly System[], isChosen: boolean) => void;
  readonly onSort: (sort: Sort) => void;
};

/** The row that keys act on: the client system that was there, which may have moved since. */
type Current = { readonly index: number; readonly fp: string | undefined };

/** The list of what is wanted, and the row of it that is current. */
export default function Listing({ wanted, total, isNarrow, open, chosen, onOpen, onChoose, onSort }: ListingProps) {
  const known = useKnown(wanted);
  const count = rowsOf(known.chain, total);
  const rows = useRows(count, isNarrow);
  const { virtual } = rows;
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
  const pages = usePages(wanted, known, startIndex, endIndex);
  const [current, setCurrent] = useState<Current>({ index: -1, fp: open });
  const index = placeNow(current, pages);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(() => {
    virtual.scrollToOffset(0);
    setCurrent({ index: -1, fp: open });
  }, [known.key]);
  const toggle = (system: System): void => onChoose([system], !chosen.has(system.fp));
  const shown = (): readonly System[] => Array.from({ length: count }, (_, n) => pages.at(n)).filter((one) => one !== undefined);
  const toggleAll = (): void => onChoose(shown(), !isAll);
  const isAll = chosen.size > 0 && shown().every(({ fp }) => chosen.has(fp));
  const actions = useSame({ open: onOpen, toggle });
  const onKeyDown = useListKeys({
    index,
    at: pages.at,
    goTo: (next) => {
      const system = pages.at(next);
      if (system === undefined) return;
      setCurrent({ index: next, fp: system.fp });
      virtual.scrollToIndex(next);
      if (open !== undefined) onOpen(system);
    },
    focus: () => rows.box.current?.querySelector('table')?.focus({ preventScroll: true }),
    open: onOpen,
    toggle,
    toggleAll,
  });
  // Who opens a row by the mouse goes on from there by keys.
  useEffect(() => {
    if (open !== undefined) setCurrent(({ index: last }) => ({ index: last, fp: open }));
  }, [open]);
  return <List {...{ rows, pages, total, wanted, chosen, actions, isAll, onSort, onKeyDown }} onAll={toggleAll} current={index} />;
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

/** Actions that stay the same while what they do changes: rows that have them need not be drawn again. */
function useSame(actions: RowActions): RowActions {
  const now = useRef(actions);
  now.current = actions;
  return useMemo(() => ({ open: (system) => now.current.open(system), toggle: (system) => now.current.toggle(system) }), []);
}
