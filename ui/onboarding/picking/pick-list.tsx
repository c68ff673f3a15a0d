import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Line, linesOf, type Pickable, type PickGroup, shareOf } from './picks.ts';
import type { Picking } from './use-picking.ts';

type Props<T extends Pickable, G extends PickGroup<T>> = {
  readonly label: string;
  readonly groups: readonly G[];
  readonly picking: Picking<T>;
  /** Whether anything may be picked at all: else there are no boxes. */
  readonly isPickable: boolean;
  readonly titleOf: (group: G) => string;
  readonly nameOf: (item: T) => string;
  readonly head: (group: G) => ReactNode;
  readonly row: (item: T, boxId: string) => ReactNode;
  /** What is done about one that cannot be picked, in a word, if anything is. */
  readonly oddOf?: (item: T) => { readonly label: string; readonly does: () => void } | undefined;
};

/**
 * A list of thousands in groups, of which the page holds what is on the screen. It follows the keys: what they are at
 * is in sight and has the focus.
 */
export function PickList<T extends Pickable, G extends PickGroup<T>>(props: Props<T, G>) {
  const { groups, picking, label } = props;
  const lines = useMemo(() => linesOf<T, G>(groups), [groups]);
  const list = useRef<HTMLDivElement>(null);
  const { scrollMargin, topPx } = useTop(list);
  const virtual = useWindowVirtualizer<HTMLDivElement>({
    count: lines.length,
    estimateSize: (n) => (lines[n]!.is === 'head' ? 52 : 48),
    getItemKey: (n) => lines[n]!.id,
    overscan: 12,
    scrollMargin,
    scrollPaddingStart: topPx,
    scrollPaddingEnd: 70,
  });
  useFollowing(picking, lines, list, (n) => virtual.scrollToIndex(n));
  return (
    // biome-ignore lint/a11y/useSemanticElements: its items are placed by hand, and only some of them are there
    <div role="list" aria-label={label} className="pick-list" ref={list} style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => (
        <PlacedLine
          key={item.key}
          of={props}
          line={lines[item.index]!}
          place={item}
          shiftPx={scrollMargin}
          measure={virtual.measureElement}
          n={lines.length}
        />
      ))}
    </div>
  );
}

/** Where the list begins on the page, and what the bar on top hides, in px. What stands above comes and goes. */
function useTop(list: { readonly current: HTMLElement | null }): { readonly scrollMargin: number; readonly topPx: number } {
  const [top, setTop] = useState({ scrollMargin: 0, topPx: 0 });
  useLayoutEffect(() => {
    const scrollMargin = (list.current?.getBoundingClientRect().top ?? 0) + scrollY;
    const topPx = (document.querySelector<HTMLElement>('header.top')?.offsetHeight ?? 0) + 8;
    if (Math.abs(scrollMargin - top.scrollMargin) > 1 || topPx !== top.topPx) setTop({ scrollMargin, topPx });
  });
  return top;
}

/** Brings what the keys are at into sight, with the heading above it, and gives it the focus once it is there. */
function useFollowing<T extends Pickable>(
  { at, steps }: Picking<T>,
  lines: readonly { readonly is: string; readonly id: string }[],
  list: { readonly current: HTMLElement | null },
  scrollTo: (line: number) => void,
): void {
  const followed = useRef(steps);
  useEffect(() => {
    if (at === undefined || followed.current === steps) return;
    const line = lines.findIndex(({ id }) => id === at.fp);
    const row = list.current?.querySelector<HTMLElement>(`[data-fp="${at.fp}"] .pick-box :is(input, button)`);
    if (line < 0) return;
    if (lines[line - 1]?.is === 'head') scrollTo(line - 1);
    scrollTo(line);
    if (!row) return;
    row.focus({ preventScroll: true });
    followed.current = steps;
  });
}

type LineProps<T extends Pickable, G extends PickGroup<T>> = {
  readonly of: Props<T, G>;
  readonly line: Line<T, G>;
  readonly place: VirtualItem;
  readonly shiftPx: number;
  readonly measure: (element: HTMLDivElement | null) => void;
  readonly n: number;
};

function PlacedLine<T extends Pickable, G extends PickGroup<T>>({ of, line, place, shiftPx, measure, n }: LineProps<T, G>) {
  const isAt = line.is === 'row' && of.picking.at?.fp === line.id;
  const isPicked = line.is === 'row' && of.picking.has(line.id);
  return (
    // biome-ignore lint/a11y/useSemanticElements: as its list
    <div
      role="listitem"
      aria-setsize={n}
      aria-posinset={place.index + 1}
      className={`pick-line is-${line.is}${isAt ? ' is-at' : ''}${isPicked ? ' is-picked' : ''}`}
      data-index={place.index}
      data-fp={line.is === 'row' ? line.id : undefined}
      ref={measure}
      style={{ transform: `translateY(${place.start - shiftPx}px)` }}
    >
      {line.is === 'head' ? <Head of={of} group={line.group} /> : <Row of={of} item={line.item} />}
    </div>
  );
}

function Head<T extends Pickable, G extends PickGroup<T>>({ of, group }: { readonly of: Props<T, G>; readonly group: G }) {
  const { picking, titleOf, head, isPickable } = of;
  const fps = group.items.filter(picking.canPick).map(({ fp }) => fp);
  const share = shareOf(picking.picked, fps);
  return (
    <>
      <span className="pick-box">
        {isPickable && fps.length > 0 && (
          <input
            type="checkbox"
            aria-label={`All of ${titleOf(group)}`}
            checked={share === 'all'}
            ref={(box) => {
              if (box) box.indeterminate = share === 'some';
            }}
            onChange={() => picking.toggle(share === 'some' ? fps.filter((fp) => !picking.has(fp)) : fps)}
          />
        )}
      </span>
      {head(group)}
    </>
  );
}

function Row<T extends Pickable, G extends PickGroup<T>>({ of, item }: { readonly of: Props<T, G>; readonly item: T }) {
  const { picking, isPickable, nameOf, row, oddOf } = of;
  const odd = oddOf?.(item);
  const id = `pick-${item.fp}`;
  const setAt = (): void => picking.setAt(item.fp);
  return (
    <>
      <span className="pick-box">
        {isPickable && picking.canPick(item) ? (
          <input
            id={id}
            type="checkbox"
            aria-label={nameOf(item)}
            checked={picking.has(item.fp)}
            onFocus={setAt}
            onChange={() => picking.toggle([item.fp])}
          />
        ) : (
          <button
            id={id}
            type="button"
            className="plain pick-mark"
            aria-label={`${nameOf(item)}, ${odd?.label ?? 'cannot be picked'}`}
            onFocus={setAt}
            onClick={odd?.does}
          >
            –
          </button>
        )}
      </span>
      {row(item, id)}
    </>
  );
}
