import { useMemo, useState } from 'react';
import { useKeys } from '../../kit/keys.ts';
import { type At, moved, type Pickable, type PickGroup, starred, toggled } from './picks.ts';

/** What is picked in a list, where its keys are, and what changes that. */
export type Picking<T extends Pickable> = {
  /** What is picked of all there is, and how much of it the list does not show now. */
  readonly items: readonly T[];
  readonly unseen: number;
  readonly has: (fp: string) => boolean;
  readonly picked: ReadonlySet<string>;
  readonly canPick: (item: T) => boolean;
  readonly toggle: (fps: readonly string[]) => void;
  readonly clear: () => void;
  /** Where the keys are; `steps` counts their moves, so that a list can follow them. */
  readonly at: At | undefined;
  readonly current: T | undefined;
  readonly steps: number;
  readonly setAt: (fp: string) => void;
};

type Of<T extends Pickable> = {
  readonly all: readonly T[];
  readonly groups: readonly PickGroup<T>[];
  readonly canPick: (item: T) => boolean;
};

/** Picking in a list by its keys: j, k and the arrows move, x picks, * picks the group, then all, then nothing. */
export function usePicking<T extends Pickable>({ all, groups, canPick }: Of<T>): Picking<T> {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [{ at, steps }, setPlace] = useState<{ at: At | undefined; steps: number }>({ at: undefined, steps: 0 });
  const order = useMemo(() => groups.flatMap(({ items }) => items), [groups]);
  const items = useMemo(() => all.filter((item) => picked.has(item.fp) && canPick(item)), [all, picked, canPick]);
  const shown = useMemo(() => new Set(order.map(({ fp }) => fp)), [order]);
  const current = order.find(({ fp }) => fp === at?.fp);
  const toggle = (fps: readonly string[]): void => setPicked(toggled(picked, fps));
  const move = (by: number): void => setPlace({ at: moved(order, at, by), steps: steps + 1 });
  const pickable = (some: readonly T[]): string[] => some.filter(canPick).map(({ fp }) => fp);
  const star = (): void => {
    const group = groups.find((one) => one.items.some(({ fp }) => fp === at?.fp));
    setPicked(starred(picked, pickable(group?.items ?? []), pickable(order)));
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    x: () => current && canPick(current) && toggle([current.fp]),
    '*': star,
  });
  return {
    items,
    unseen: items.filter(({ fp }) => !shown.has(fp)).length,
    has: (fp) => picked.has(fp),
    picked,
    canPick,
    toggle,
    clear: () => setPicked(new Set()),
    at,
    current,
    steps,
    setAt: (fp) => at?.fp !== fp && setPlace({ at: { fp, index: order.findIndex((one) => one.fp === fp) }, steps }),
  };
}
