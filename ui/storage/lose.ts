import { nameIn, type Thing } from './tree.ts';

/**
 * What a preview calls the loss of a box: a host by its name, a site, a rack or an enclosure as a place of the facts.
 * Undefined for what cannot be lost by itself.
 */
export function lossOf({ id, kind }: Pick<Thing, 'id' | 'kind'>): string | undefined {
  const name = nameIn(id);
  if (name === '') return undefined;
  if (kind === 'host') return name;
  return kind === 'site' || kind === 'rack' || kind === 'enclosure' ? `${kind}=${name}` : undefined;
}

/** The ids of all boxes that would go with these hosts, by their names; a place goes when all hosts in it go. */
export function goneWith(things: readonly Thing[], hosts: ReadonlySet<string>): ReadonlySet<string> {
  const gone = new Set<string>();
  const take = (thing: Thing): void => {
    gone.add(thing.id);
    for (const one of thing.within) take(one);
  };
  const look = (thing: Thing): boolean => {
    if (thing.kind === 'host') {
      if (!hosts.has(nameIn(thing.id))) return false;
      take(thing);
      return true;
    }
    const all = thing.within.map(look);
    const isGone = all.length > 0 && all.every(Boolean);
    if (isGone) gone.add(thing.id);
    return isGone;
  };
  for (const thing of things) look(thing);
  return gone;
}

/** Labels that nodes have, each with how many have it, as a preview takes them: `rack=r12`. The most frequent first. */
export function labelsOf(nodes: readonly { readonly labels: Readonly<Record<string, string>> }[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { labels } of nodes)
    for (const [name, value] of Object.entries(labels)) counts.set(`${name}=${value}`, (counts.get(`${name}=${value}`) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], 'en', { numeric: true }));
}
