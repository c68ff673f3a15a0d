import type { PlannedChange } from '../../core/decision.ts';
import { MusterError } from '../../core/errors.ts';

/**
 * What one plan does at the most: due nodes that it follows, nodes that it tells of what they lose, slots that it
 * moves.
 */
export type Cut = { readonly nodes: number; readonly told: number; readonly moves: number };

/** How full a plan makes a commit, by its rows and by its bytes: above 1 no table takes it. */
export type Fill = { readonly rows: number; readonly bytes: number };

/** How many due nodes one plan follows at the most. A first guess: what it comes to is counted. */
export const nodesPerPlanMax = 30;

/** What is tried first: most plans fit. */
export const firstCut: Cut = { nodes: nodesPerPlanMax, told: 30, moves: Number.POSITIVE_INFINITY };

/**
 * The least with which every kind of work still gets on: one node, one that is told, one slot of a lost node and one of
 * another.
 */
const leastCut: Cut = { nodes: 1, told: 1, moves: 2 };

/** What is taken off at a time, at the least, so that few tries lead from the first guess to the least. */
const stepShare = 0.75;

/** How a plan is judged: whether it only asks to see more, and how full a commit its changes make. */
type Judging<P> = { readonly asks: (plan: P) => boolean; readonly fillOf: (changes: readonly PlannedChange[]) => Fill };

/**
 * The plan with the largest cut that fits into a commit, beginning with `from`. A plan that asks to see more is given
 * as it is. Throws when not even the least fits: that is a defect, because the rows of one step have limits of their
 * own.
 */
export function cutToFit<P extends { readonly changes: readonly PlannedChange[]; readonly moves: number }>(
  from: Cut,
  planBy: (cut: Cut) => P,
  { asks, fillOf }: Judging<P>,
): P & { readonly cut: Cut } {
  for (let cut: Cut | undefined = from; cut; ) {
    const plan: P = planBy(cut);
    if (asks(plan)) return { ...plan, cut };
    const fill: Fill = fillOf(plan.changes);
    if (fill.rows <= 1 && fill.bytes <= 1) return { ...plan, cut };
    cut = smaller(cut, plan.moves, fill);
  }
  throw new MusterError('plan.too-large', 'not even the smallest step of the plan fits into one commit', 'never');
}

/** Rows come from nodes; bytes from slots first of all. Undefined when nothing can be taken off. */
function smaller({ nodes, told, moves }: Cut, moved: number, fill: Fill): Cut | undefined {
  const less = (most: number, least: number, full: number): number => Math.max(least, Math.floor(most * Math.min(stepShare, 1 / full)));
  const next: Cut = {
    nodes: less(nodes, leastCut.nodes, fill.rows),
    told: less(told, leastCut.told, fill.rows),
    moves: fill.bytes > 1 ? less(Math.min(moves, moved), leastCut.moves, fill.bytes) : moves,
  };
  return next.nodes < nodes || next.told < told || next.moves < moves ? next : undefined;
}
