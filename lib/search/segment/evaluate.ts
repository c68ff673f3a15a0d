import type { Query, Term, Test } from '../language/query.ts';
import { and, andNot, or } from './algebra.ts';
import { allOf, type Bitmap, wordsIn } from './bitmap.ts';
import { planOf, type TermPlan } from './plan.ts';
import type { Segment } from './segment.ts';
import { findTerm, idField, nameField } from './term.ts';
import { textsIn } from './texts.ts';
import { countOf } from './value-search.ts';

/** What a caller knows of fields that are in no segment, or of how values are compared. */
export type Beside = {
  /** The documents of this segment for which a test holds; undefined if the field is in the segment, or nowhere. */
  readonly volatile: (field: string, test: Test) => Bitmap | undefined;
  /** The documents of this segment by the values of a field that is not in it; undefined for other fields. */
  readonly values: (field: string) => ReadonlyMap<string, Bitmap> | undefined;
  /** Whether upper and lower case are the same in the values of a field. */
  readonly folds: (field: string) => boolean;
};

/** A caller that knows nothing: all fields are in the segment, and values are compared as they are. */
export const nothingBeside: Beside = { volatile: () => undefined, values: () => undefined, folds: () => false };

/** The documents of a query, and how each of its terms was evaluated, in the order of evaluation. */
export type Evaluated = { readonly hits: Bitmap; readonly plan: readonly TermPlan[] };

/**
 * Evaluates a query on a segment: of several queries of which all must hold, the cheapest comes first, and each leaves
 * candidates for the next. Throws what {@link findTerm} throws.
 */
export function evaluate(segment: Segment, query: Query, beside: Beside = nothingBeside, among: Bitmap = allOf(segment.size)): Evaluated {
  const evaluation = new Evaluation(segment, beside);
  return { hits: and(evaluation.find(query, among), among), plan: evaluation.plan };
}

/** What an evaluation costs, in words of 32 bits that it reads. */
const costs = { name: 8, value: 4, known: 0 } as const;

class Evaluation {
  readonly plan: TermPlan[] = [];
  readonly #segment: Segment;
  readonly #beside: Beside;
  readonly #given = new Map<Term, Bitmap | undefined>();

  constructor(segment: Segment, beside: Beside) {
    this.#segment = segment;
    this.#beside = beside;
  }

  /** The documents of a query, among candidates at least: others may be among them. */
  find(query: Query, candidates: Bitmap): Bitmap {
    switch (query.op) {
      case 'all':
        return candidates;
      case 'and':
        return this.#findAll(query.of, candidates);
      case 'or':
        return or(
          this.#segment.size,
          query.of.map((one) => this.find(one, candidates)),
        );
      case 'not':
        return andNot(candidates, this.find(query.of, candidates));
      case 'term':
        return this.#findTerm(query, candidates);
    }
  }

  #findAll(all: readonly Query[], candidates: Bitmap): Bitmap {
    const cheapestFirst = all.map((query) => ({ query, cost: this.#costOf(query) })).sort((a, b) => a.cost - b.cost);
    return cheapestFirst.reduce((left, { query }) => {
      if (query.op === 'not') return andNot(left, this.find(query.of, left));
      return and(left, this.find(query, left));
    }, candidates);
  }

  #findTerm(term: Term, candidates: Bitmap): Bitmap {
    if (candidates.count === 0) {
      this.plan.push(planOf(term, 'not needed', 0));
      return candidates;
    }
    const given = this.#givenFor(term);
    const { hits, way } = given
      ? { hits: given, way: 'given' as const }
      : findTerm(this.#segment, term, this.#beside.folds(term.field), candidates);
    this.plan.push(planOf(term, way, hits.count));
    return hits;
  }

  #givenFor(term: Term): Bitmap | undefined {
    const known = this.#given.get(term);
    if (known || this.#given.has(term)) return known;
    const given = this.#beside.volatile(term.field, term.test);
    this.#given.set(term, given);
    return given;
  }

  /** A negation costs a pass over all bits where nothing else came before it. */
  #costOf(query: Query): number {
    if (query.op === 'all') return costs.known;
    if (query.op === 'term') return this.#costOfTerm(query);
    if (query.op === 'not') return this.#costOf(query.of) + wordsIn(this.#segment.size);
    return query.of.reduce((sum, one) => sum + this.#costOf(one), 0);
  }

  #costOfTerm(term: Term): number {
    const given = this.#givenFor(term);
    if (given) return Math.min(given.count, wordsIn(this.#segment.size));
    const { size, names, keywords } = this.#segment;
    const { field, test } = term;
    if (field === idField) return costs.known;
    if (field === nameField) return isFromBeginning(test) ? wordsIn(size) : names.count * costs.name;
    const column = keywords.get(field);
    if (!column) return this.#segment.numbers.has(field) ? size : costs.known;
    const counts = test.is === 'glob' && !this.#beside.folds(field) ? test.any.map((glob) => countOf(column, glob)) : [undefined];
    const isExact = counts.every((count) => count !== undefined);
    return isExact ? counts.reduce((sum, count) => sum + count, 0) : wordsIn(size) + textsIn(column.values) * costs.value;
  }
}

/** Whether a test of names begins with letters, by which their order finds some of them. */
const isFromBeginning = (test: Test): boolean => test.is === 'glob' && test.any.every((glob) => /^[^*?[\\]/.test(glob));
