import type { Reply } from '../../api/call.ts';
import { stemOf, tagOfStem, wideStemOf } from './stem.ts';

/** A client system that waits to be accepted, as the API shows it. */
export type Waiting = Reply<'listSystems'>['items'][number];
/** By what those that wait are grouped: what looks alike, the zone that they ask for, or what became of their token. */
export type By = 'name' | 'zone' | 'token';

/** A suggested tag, and how many of the group suggest it: 0 for the word that their names begin with. */
export type Suggestion = { readonly tag: string; readonly n: number };

/** Client systems that belong together. */
export type SystemGroup = {
  readonly id: string;
  readonly title: string;
  /** What else they have in common: the zone that they ask for, and why their token was refused. */
  readonly zone: string | undefined;
  readonly refusal: string | undefined;
  readonly suggestions: readonly Suggestion[];
  readonly items: readonly Waiting[];
};

/** A heading has at most so many tags. */
const suggestionsMax = 6;
const names = new Intl.Collator('en', { numeric: true });

/** Machines in the order of their names, in which 9 is before 10. */
export const inOrder = <T extends { readonly fqdn: string }>(some: readonly T[]): T[] =>
  some.toSorted((a, b) => names.compare(a.fqdn, b.fqdn));

/** Why the onboarding token of a machine was refused; undefined when it brought none. */
export const refusalOf = ({ tokenRefused }: Pick<Waiting, 'tokenRefused'>): string | undefined => tokenRefused;

/** Whether it is accepted only by itself: another key reported its machine id or name first, or it has no name. */
export const isHeld = ({ sameMachineId, sameName }: Pick<Waiting, 'sameMachineId' | 'sameName'>): boolean =>
  sameMachineId?.held === true || sameName?.held === true;

/** Those that wait, in groups; groups and what is in them are in the order of names, those alone of their kind last. */
export function groupsOf(items: readonly Waiting[], by: By): SystemGroup[] {
  const groups = by === 'name' ? alike(items) : Map.groupBy(items, by === 'zone' ? zoneTitle : tokenTitle);
  return [...groups].map(([key, some]) => groupOf(key, some, by)).sort(byTitle);
}

const zoneTitle = ({ zone }: Waiting): string => (zone === undefined ? 'ask for no zone' : `ask for ${zone}`);
const tokenTitle = (system: Waiting): string => {
  const refusal = refusalOf(system);
  return refusal === undefined ? 'brought no onboarding token' : `onboarding token refused: ${refusal}`;
};

const alone = 'alone of their kind';
const separator = '\n';

/**
 * Groups of names with one stem that ask for one zone, and whose token was refused for one reason. Names that are alone
 * with their stem are grouped once more with the numbers of their domains left open, and at last with one another.
 */
function alike(items: readonly Waiting[]): Map<string, readonly Waiting[]> {
  const found = new Map<string, readonly Waiting[]>();
  let left = items;
  for (const stem of [stemOf, wideStemOf]) {
    const groups = Map.groupBy(left, (one) => [stem(one.fqdn), one.zone ?? '', refusalOf(one) ?? ''].join(separator));
    for (const [key, some] of groups) if (some.length > 1) found.set(key, [...(found.get(key) ?? []), ...some]);
    left = [...groups.values()].flatMap((some) => (some.length > 1 ? [] : some));
  }
  const apart = Map.groupBy(left, (one) => [alone, one.zone ?? '', refusalOf(one) ?? ''].join(separator));
  for (const [key, some] of apart) found.set(some.length > 1 ? key : key.replace(alone, some[0]!.fqdn), some);
  return found;
}

function groupOf(key: string, some: readonly Waiting[], by: By): SystemGroup {
  const [title, zone, refusal] = by === 'name' ? (key.split(separator) as [string, string, string]) : [key, '', ''];
  return {
    id: key,
    title,
    zone: zone || undefined,
    refusal: refusal || undefined,
    suggestions: suggestionsOf(some, by === 'name' ? tagOfStem(title) : undefined),
    items: some.toSorted((a, b) => names.compare(a.fqdn, b.fqdn) || (a.firstSeenAt < b.firstSeenAt ? -1 : 1)),
  };
}

function byTitle(a: SystemGroup, b: SystemGroup): number {
  if ((a.title === alone) !== (b.title === alone)) return a.title === alone ? 1 : -1;
  return names.compare(a.title, b.title) || names.compare(a.id, b.id);
}

/** Tags that these suggest, the most frequent first, and at last the word of their names. */
export function suggestionsOf(some: readonly Pick<Waiting, 'suggestedTags'>[], word?: string): Suggestion[] {
  const counts = new Map<string, number>();
  for (const tag of some.flatMap(({ suggestedTags }) => suggestedTags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const suggested = [...counts].map(([tag, n]) => ({ tag, n })).sort((a, b) => b.n - a.n || names.compare(a.tag, b.tag));
  const more = word === undefined || counts.has(word) ? [] : [{ tag: word, n: 0 }];
  return [...suggested.slice(0, suggestionsMax), ...more];
}
