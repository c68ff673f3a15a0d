import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import type { Sort, System, Wanted } from './asks.ts';
import { Head } from './list-head.tsx';
import { Row, type RowActions, rowId } from './row.tsx';
import type { Pages } from './use-pages.ts';

/** The rows that are shown, and the window that is seen of them. */
export type Rows = { readonly virtual: Virtualizer<HTMLDivElement, Element>; readonly box: RefObject<HTMLDivElement | null> };

/** Height of a row in px, on one line or on two, and of the head of the list. */
const rowPx = { wide: 36, narrow: 64 } as const;
const headPx = 34;

/** The rows of a list that has as many as `count`. */
export function useRows(count: number, isNarrow: boolean): Rows {
  const box = useRef<HTMLDivElement>(null);
  const height = isNarrow ? rowPx.narrow : rowPx.wide;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
    // The head stays above the rows: what is behind it is not seen.
    scrollPaddingEnd: headPx,
    useFlushSync: false,
  });
  useEffect(() => {
    if (height > 0) virtual.measure();
  }, [virtual, height]);
  return { virtual, box };
}

type ListProps = {
  readonly rows: Rows;
  readonly pages: Pages;
  readonly total: number;
  readonly wanted: Wanted;
  readonly current: number;
  readonly chosen: ReadonlyMap<string, System>;
  readonly actions: RowActions;
  readonly onSort: (sort: Sort) => void;
  readonly isAll: boolean;
  readonly onAll: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
};

/** The list of client systems: only what is seen of it is on the page, and only pages around that are read. */
export function List({
  rows: { virtual, box },
  pages,
  total,
  wanted,
  current,
  chosen,
  actions,
  isAll,
  onAll,
  onSort,
  onKeyDown,
}: ListProps) {
  const isNear = virtual.getVirtualItems().some(({ index }) => index === current);
  return (
    <div ref={box} className={`systems-list${pages.isOld ? ' is-old' : ''}`}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table with a current row
        role="grid"
        tabIndex={0}
        onKeyDown={onKeyDown}
        aria-label="Client systems"
        aria-rowcount={total + 1}
        aria-multiselectable="true"
        aria-busy={pages.isOld}
        {...(isNear && { 'aria-activedescendant': rowId(current) })}
      >
        <Head {...{ wanted, isAll, onAll, onSort }} />
        <tbody style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const system = pages.at(index);
            return (
              <Row
                key={system?.fp ?? index}
                system={system}
                index={index}
                top={start}
                height={size}
                isCurrent={index === current}
                isChosen={system !== undefined && chosen.has(system.fp)}
                actions={actions}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
