import { useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../kit/keys.ts';
import type { Sort, System, Wanted } from './asks.ts';
import { pageSize, rowsOf } from './chain.ts';
import { List, useRows } from './list.tsx';
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

/** The list of what is wanted, with its keys: j and k go down and up, x selects, * selects all that are shown, Enter opens. */
export function Listing({ wanted, total, isNarrow, open, chosen, onOpen, onChoose, onSort }: ListingProps) {
  const known = useKnown(wanted);
  const rows = useRows(rowsOf(known.chain, total), isNarrow);
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
  const goTo = (next: number): void => {
    const system = pages.at(next);
    if (system === undefined) return;
    setCurrent({ index: next, fp: system.fp });
    virtual.scrollToIndex(next);
    if (open !== undefined) onOpen(system);
  };
  const toggle = (system: System | undefined): void => {
    if (system !== undefined) onChoose([system], !chosen.has(system.fp));
  };
  const actions = useSame({
    open: (system: System) => {
      setCurrent({ index, fp: system.fp });
      onOpen(system);
    },
    toggle,
  });
  const down = () => goTo(index + 1);
  const up = () => goTo(Math.max(0, index - 1));
  const openNow = (event: KeyboardEvent): void => {
    const system = pages.at(index);
    if (system !== undefined && !isPressed(event)) onOpen(system);
  };
  useKeys({
    j: down,
    k: up,
    ArrowDown: down,
    ArrowUp: up,
    x: () => toggle(pages.at(index)),
    '*': () => {
      const all = Array.from({ length: rowsOf(known.chain, total) }, (_, n) => pages.at(n)).filter((one) => one !== undefined);
      onChoose(
        all,
        all.some(({ fp }) => !chosen.has(fp)),
      );
    },
    Enter: openNow,
  });
  return <List {...{ rows, pages, total, wanted, chosen, actions, onSort }} current={index} />;
}

/** Enter on a button or a link is theirs. */
const isPressed = ({ target }: KeyboardEvent): boolean => target instanceof Element && target.matches('button, a, summary');

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
