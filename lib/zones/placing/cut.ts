import type { PlannedChange } from '../../core/decision.ts';
import { MusterError } from '../../core/errors.ts';

/** The limits of one plan: due nodes that it processes, nodes that it notifies of lost slots, slots that it moves. */
export type Cut = { readonly nodes: number; readonly notified: number; readonly moves: number };

/** How full a plan makes a commit, by its rows and by its bytes: no table takes a commit above 1. */
export type Fill = { readonly rows: number; readonly bytes: number };

/** How many due nodes one plan processes at most. A first guess: the rows of the plan are counted afterwards. */
export const nodesPerPlanMax = 30;

/** The first cut to try: most plans fit. */
export const firstCut: Cut = { nodes: nodesPerPlanMax, notified: 30, moves: Number.POSITIVE_INFINITY };

/**
 * The least cut with which all kinds of work still progress: one node, one notified node, one slot of a lost node and
 * one of another.
 */
const leastCut: Cut = { nodes: 1, notified: 1, moves: 2 };

/** The factor of each step, at most, so that few tries lead from the first guess to the least. */
const stepShare = 0.75;

/** How a plan is judged: whether it only asks to read more, and how full a commit its changes make. */
type Judging<P> = { readonly isIncomplete: (plan: P) => boolean; readonly fillOf: (changes: readonly PlannedChange[]) => Fill };

/**
 * The plan with the largest cut that fits into a commit, beginning with `from`. A plan that asks to read more is
 * returned as it is. Throws when not even the least cut fits: that is a defect, because the rows of one step have
 * limits of their own.
 */
export function cutToFit<P extends { readonly changes: readonly PlannedChange[]; readonly moves: number }>(
  from: Cut,
  planBy: (cut: Cut) => P,
  { isIncomplete, fillOf }: Judging<P>,
): P & { readonly cut: Cut } {
  for (let cut: Cut | undefined = from; cut; ) {
    const plan: P = planBy(cut);
    if (isIncomplete(plan)) return { ...plan, cut };
    const fill: Fill = fillOf(plan.changes);
    if (fill.rows <= 1 && fill.bytes <= 1) return { ...plan, cut };
    cut = smaller(cut, plan.moves, fill);
  }
  throw new MusterError('plan.too-large', 'not even the smallest step of the plan fits into one commit', 'never');
}

/** Rows come from nodes; bytes mostly from slots. Undefined when the cut cannot get smaller. */
function smaller({ nodes, notified, moves }: Cut, moved: number, fill: Fill): Cut | undefined {
  const less = (most: number, least: number, full: number): number => Math.max(least, Math.floor(most * Math.min(stepShare, 1 / full)));
  const next: Cut = {
    nodes: less(nodes, leastCut.nodes, fill.rows),
    notified: less(notified, leastCut.notified, fill.rows),
    moves: fill.bytes > 1 ? less(Math.min(moves, moved), leastCut.moves, fill.bytes) : moves,
  };
  return next.nodes < nodes || next.notified < notified || next.moves < moves ? next : undefined;
}
