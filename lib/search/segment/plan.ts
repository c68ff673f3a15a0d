import type { Term } from '../language/query.ts';

/** Ways to find the documents of a term, from the cheapest to the dearest. */
const ways = [
  /** Nothing was left that the term could have changed. */
  'not needed',
  /** The segment has no such field, or no such value. */
  'no such field',
  /** The caller knows: a value that is not in the segment. */
  'given',
  'exact',
  'prefix order',
  'ids',
  'numbers',
  'dictionary',
  'domains',
  /** The names of the documents that other terms left. */
  'candidates',
  /** All hosts, by the speed of a search for bytes. */
  'literal scan',
  /** All hosts, each of them read. */
  'name scan',
  'id scan',
] as const;

/** How a term was evaluated. */
export type Way = (typeof ways)[number];

/**
 * What a term was, how it was evaluated, and how many documents it found, those among them that other terms or
 * deletions then left out. Found among candidates, they are fewer than the term has.
 */
export type TermPlan = { readonly at: number; readonly text: string; readonly way: Way; readonly hits: number };

/** The dearest of several ways. */
export const dearest = (all: readonly Way[]): Way =>
  all.reduce((worst, one) => (ways.indexOf(one) > ways.indexOf(worst) ? one : worst), 'not needed' satisfies Way);

/** One plan for several segments: each term once, with all its hits, and the dearest way. */
export function joinPlans(plans: readonly (readonly TermPlan[])[]): TermPlan[] {
  const byTerm = Map.groupBy(plans.flat(), ({ at, text }) => `${at} ${text}`);
  return [...byTerm.values()]
    .flatMap((same): TermPlan[] => {
      const [first] = same;
      if (!first) return [];
      return [
        { at: first.at, text: first.text, way: dearest(same.map(({ way }) => way)), hits: same.reduce((sum, { hits }) => sum + hits, 0) },
      ];
    })
    .sort((a, b) => a.at - b.at);
}

/** The plan of a term that found something in some way. */
export const planOf = ({ at, text }: Term, way: Way, hits: number): TermPlan => ({ at, text, way, hits });
