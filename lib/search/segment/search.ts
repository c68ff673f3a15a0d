import type { Query } from '../language/query.ts';
import { andNot } from './algebra.ts';
import { type Bitmap, each } from './bitmap.ts';
import { type Beside, evaluate, nothingBeside } from './evaluate.ts';
import { type Facet, type FacetRequest, facetOf } from './facets.ts';
import { idAt } from './ids.ts';
import { comparePositions, type Order, type Position, type Row, rowsOf } from './page.ts';
import { joinPlans, type TermPlan } from './plan.ts';
import type { Snapshot } from './search-index.ts';
import type { Segment } from './segment.ts';

/** A page of an answer: at most `limit` rows behind a position, or from the beginning. */
export type Request = {
  readonly query: Query;
  readonly order: Order;
  readonly after?: Position | undefined;
  readonly limit: number;
  readonly facets?: readonly FacetRequest[];
  /** Up to how many documents the ids of all that match are wanted; 0 for none. */
  readonly idsMax?: number;
  /** What the caller knows of the documents of a segment. */
  readonly besideOf?: (segment: Segment) => Beside;
};

/**
 * An answer. `total` is exact, because the documents are counted as they are found; `next` is behind the last row, and
 * undefined if there are no more; `ids` are ascending, and undefined if more match than they are wanted of. What was
 * found is the same as the plan has it, less what was left out.
 */
export type Answer = {
  readonly total: number;
  readonly rows: readonly Row[];
  readonly next: Position | undefined;
  readonly facets: readonly Facet[];
  readonly plan: readonly TermPlan[];
  readonly ids: readonly string[] | undefined;
};

/**
 * Answers a query from a snapshot. Its pages neither repeat nor leave out a document that stays as it is, whatever
 * comes and goes between them: a position is a key and an id, not a number of rows. Throws what `evaluate` throws.
 */
export function search(
  snapshot: Snapshot,
  { query, order, after, limit, facets = [], idsMax = 0, besideOf = () => nothingBeside }: Request,
): Answer {
  const parts = snapshot.map(({ segment, deleted }) => {
    const beside = besideOf(segment);
    const { hits, plan } = evaluate(segment, query, beside);
    return { segment, beside, plan, hits: andNot(hits, deleted) };
  });
  const rows = parts
    .flatMap(({ segment, hits }) => rowsOf(segment, hits, order, after, limit + 1))
    .sort((a, b) => comparePositions(order, a.position, b.position));
  const total = parts.reduce((sum, { hits }) => sum + hits.count, 0);
  return {
    total,
    rows: rows.slice(0, limit),
    next: rows.length > limit ? rows[limit - 1]?.position : undefined,
    facets: facets.map((facet) => facetOf(facet, parts)),
    plan: joinPlans(parts.map(({ plan }) => plan)),
    ids: idsMax > 0 && total <= idsMax ? idsIn(parts) : undefined,
  };
}

/** The ids of documents, ascending. Those of each segment are in order, which the sort makes use of. */
function idsIn(parts: readonly { readonly segment: Segment; readonly hits: Bitmap }[]): string[] {
  const ids: string[] = [];
  for (const { segment, hits } of parts)
    each(hits, (ordinal) => {
      ids.push(idAt(segment.ids, ordinal));
      return true;
    });
  return ids.sort();
}
