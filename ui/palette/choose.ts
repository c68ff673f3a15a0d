/** A place to go to. */
export type Goal = { readonly path: string; readonly search?: Readonly<Record<string, string>> };
/** What the palette does besides going somewhere. */
export type Deed = 'link' | 'dark' | 'light' | 'system' | 'sign-out';

/** An entry of the palette: what it says, words that find it besides, and where it leads or what it does. */
export type Entry = {
  readonly id: string;
  readonly group: Group;
  readonly label: string;
  readonly also?: string;
  readonly hint?: string;
  readonly does: Goal | Deed;
  /** There are many of its kind: it is shown once something was typed. */
  readonly isOneOfMany?: true;
};
/** The groups of the palette, in their order. */
export const groups = ['Recent', 'Views', 'Zones', 'Nodes', 'Client systems', 'Do'] as const;
export type Group = (typeof groups)[number];

/**
 * How many entries of a group are shown: a person reads no more than that, but types another letter. Before the first
 * letter there are fewer, so that each group is seen; views and what can be done are few anyway.
 */
const shownMax = { typed: 8, untyped: 4, few: 12 } as const;

/**
 * How well an entry fits what was typed: each word has to be in it. Best is one that begins so, then one with a word
 * that begins so; 0 does not fit.
 */
export function fitOf({ label, also = '' }: Pick<Entry, 'label' | 'also'>, typed: string): number {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const said = label.toLowerCase();
  const all = `${said} ${also.toLowerCase()}`;
  if (!words.every((word) => all.includes(word))) return 0;
  if (said.startsWith(words.join(' '))) return 3;
  return words.every((word) => new RegExp(`(^|[^\\p{L}\\p{N}])${escaped(word)}`, 'u').test(all)) ? 2 : 1;
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The entries that fit, by group, the best first; names with numbers in their order, `node2` before `node10`. */
export function chosen(entries: readonly Entry[], typed: string): readonly { readonly title: Group; readonly entries: readonly Entry[] }[] {
  const fitting = entries
    .filter(({ isOneOfMany }) => typed !== '' || isOneOfMany === undefined)
    .map((entry) => ({ entry, fit: fitOf(entry, typed) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit || (typed === '' ? 0 : byName.compare(a.entry.label, b.entry.label)));
  const most = (title: Group): number =>
    typed !== '' ? shownMax.typed : title === 'Views' || title === 'Do' ? shownMax.few : shownMax.untyped;
  const found = groups.map((title) => ({
    title,
    best: fitting.find(({ entry }) => entry.group === title)?.fit ?? 0,
    entries: fitting.flatMap(({ entry }) => (entry.group === title ? [entry] : [])).slice(0, most(title)),
  }));
  // What was named exactly is not below a list of things that only contain it.
  return typed === '' ? found : found.sort((a, b) => b.best - a.best);
}

const byName = new Intl.Collator('en', { numeric: true });
