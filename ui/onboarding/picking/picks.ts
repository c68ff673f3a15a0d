/** What can be picked: it is known by the fingerprint of its key. */
export type Pickable = { readonly fp: string };
/** A group under one heading of a list. */
export type PickGroup<T extends Pickable> = { readonly id: string; readonly items: readonly T[] };
/** A line of a list: a heading, or something below it. */
export type Line<T extends Pickable, G extends PickGroup<T>> =
  | { readonly is: 'head'; readonly id: string; readonly group: G }
  | { readonly is: 'row'; readonly id: string; readonly group: G; readonly item: T };

/** Where the keys are: at what, and on which place of the order that was, for when it is gone. */
export type At = { readonly fp: string; readonly index: number };

/** All lines of groups, from top to bottom. */
export const linesOf = <T extends Pickable, G extends PickGroup<T>>(groups: readonly G[]): Line<T, G>[] =>
  groups.flatMap((group): Line<T, G>[] => [
    { is: 'head', id: `head ${group.id}`, group },
    ...group.items.map((item): Line<T, G> => ({ is: 'row', id: item.fp, group, item })),
  ]);

/** Where the keys are after so many steps: at the first for who has not moved yet; undefined in an empty order. */
export function moved(order: readonly Pickable[], at: At | undefined, by: number): At | undefined {
  if (order.length === 0) return undefined;
  const found = at === undefined ? -1 : order.findIndex(({ fp }) => fp === at.fp);
  // What was there may be gone: what followed it has come up to its place.
  const from = found >= 0 ? found : at === undefined ? -1 : by > 0 ? at.index - 1 : at.index;
  const index = Math.max(0, Math.min(order.length - 1, from + by));
  return { fp: order[index]!.fp, index };
}

/** With all of these if one of them was missing, else without them. */
export function toggled(picked: ReadonlySet<string>, fps: readonly string[]): ReadonlySet<string> {
  const all = fps.every((fp) => picked.has(fp));
  return all ? picked.difference(new Set(fps)) : picked.union(new Set(fps));
}

/** The star: first all of the group, then all that is shown, then nothing of it. */
export function starred(picked: ReadonlySet<string>, group: readonly string[], shown: readonly string[]): ReadonlySet<string> {
  const has = (fps: readonly string[]): boolean => fps.length > 0 && fps.every((fp) => picked.has(fp));
  if (!has(group) && group.length > 0) return picked.union(new Set(group));
  return toggled(picked, shown);
}

/** How much of a group is picked, for its checkbox. */
export function shareOf(picked: ReadonlySet<string>, fps: readonly string[]): 'all' | 'some' | 'none' {
  const n = fps.filter((fp) => picked.has(fp)).length;
  if (n === 0) return 'none';
  return n === fps.length ? 'all' : 'some';
}
