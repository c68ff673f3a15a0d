import { useEffect, useMemo, useRef } from 'react';
import type { Sort, System, Wanted } from './asks.ts';
import { rowsOf } from './chain.ts';
import { List, useRows } from './list.tsx';
import { useListKeys } from './list-keys.ts';
import type { RowActions } from './row.tsx';
import { useCurrent } from './use-current.ts';
import { type Pages, useKnown, usePages } from './use-pages.ts';
import { useSettled } from './use-settled.ts';

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

/** The list of what is wanted, and the row of it that is current. */
export default function Listing({ wanted, total, isNarrow, open, chosen, onOpen, onChoose, onSort }: ListingProps) {
  const known = useKnown(wanted);
  const count = rowsOf(known.chain, total);
  const rows = useRows(count, isNarrow);
  const { virtual } = rows;
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
  const { from, to } = useSettled(startIndex, endIndex, virtual.isScrolling);
  const pages = usePages(wanted, known, from, to);
  const [index, setCurrent] = useCurrent(pages, known.key, open);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(() => virtual.scrollToOffset(0), [known.key]);
  const toggle = (system: System): void => onChoose([system], !chosen.has(system.fp));
  const toggleAll = (): void => onChoose(pages.all(), !isAll);
  const isAll = chosen.size > 0 && pages.all().every(({ fp }) => chosen.has(fp));
  const actions = useSame({ open: onOpen, toggle });
  const onKeyDown = useListKeys({
    index,
    at: pages.at,
    goTo: (next) => {
      const system = pages.at(next);
      if (system === undefined) return;
      setCurrent(next, system.fp);
      virtual.scrollToIndex(next);
      if (open !== undefined) onOpen(system);
    },
    focus: () => rows.box.current?.querySelector('table')?.focus({ preventScroll: true }),
    open: onOpen,
    toggle,
    toggleAll,
  });
  useFresh(chosen, pages, onChoose);
  return <List {...{ rows, pages, total, wanted, chosen, actions, isAll, onSort, onKeyDown }} onAll={toggleAll} current={index} />;
}

/** Those that are selected are as they are in the list: what was done to them shows in what can be done next. */
function useFresh(chosen: ListingProps['chosen'], pages: Pages, onChoose: ListingProps['onChoose']): void {
  useEffect(() => {
    const changed = chosen.size === 0 ? [] : pages.all().filter((one) => chosen.has(one.fp) && chosen.get(one.fp) !== one);
    if (changed.length > 0) onChoose(changed, true);
  });
}

/** Actions that stay the same while what they do changes: rows that have them need not be drawn again. */
function useSame(actions: RowActions): RowActions {
  const now = useRef(actions);
  now.current = actions;
  return useMemo(() => ({ open: (system) => now.current.open(system), toggle: (system) => now.current.toggle(system) }), []);
}
