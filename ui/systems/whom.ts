import type { Reply } from '../api/call.ts';
import type { System } from './asks.ts';
import { type Counted, counted } from './labels.ts';

type Found = Reply<'findSystems'>;
/** What a search found, by which an order for the same query is held against it. */
export type Expect = NonNullable<Found['expect']>;

/** How a call names its client systems: by fingerprints, or by a query and what was found by it. */
export type To = { readonly systems: string[] } | { readonly query: string; readonly expect: Expect; readonly cursor?: string };

/**
 * Whom an order is for, as its form shows them: the zones that they are in, and the tags and groups that they have.
 * `systems` are all of them, in an order by fingerprints alone.
 */
export type Whom = {
  readonly total: number;
  readonly systems?: readonly System[];
  readonly zones: readonly string[];
  readonly tags: readonly Counted[];
  readonly groups: readonly Counted[];
};

/** Client systems that a person has selected one by one. */
export const selected = (systems: readonly System[]): Whom => ({
  total: systems.length,
  systems,
  zones: [...new Set(systems.flatMap(({ zone }) => zone ?? []))],
  tags: counted(systems.map(({ tags }) => tags)),
  groups: counted(systems.map(({ groups }) => groups)),
});

/** All that match a query, by what a search with the facets `zone`, `tag` and `group` has found. */
export function matching({ total, facets }: Pick<Found, 'total' | 'facets'>): Whom {
  const of = (name: string): readonly Counted[] =>
    (facets.find(({ field }) => field === name)?.values ?? []).map(({ value, count }) => ({ label: value, count }));
  return { total, zones: of('zone').map(({ label }) => label), tags: of('tag'), groups: of('group') };
}

/** Whether a person has typed how many client systems an order is for, with or without separators. */
export const isTotal = (typed: string, total: number): boolean => typed.replace(/[\s,.']/g, '') === String(total);
