import type { Admission, Pace } from '../../zones/rows/admission.ts';
import type { NodeView } from '../admin-routes.ts';
import { mayAdapt, type Node, rateOf } from '../node.ts';
import type { BearingRow } from './bearing.ts';

/**
 * The settings that the rate of a node follows from besides its own row, the rate that it was found to bear, and what
 * it has shown if that was read.
 */
export type RateBeside = {
  readonly usualMs: number;
  readonly admission: Admission | undefined;
  readonly pace: Pace | undefined;
  readonly bearing?: { readonly row: BearingRow; readonly because: string } | undefined;
};

/** How often a node admits, and why, as the API shows it; nothing where the rates of its zone are fixed. */
export const rateFields = (node: Node, beside: RateBeside): Pick<NodeView, 'rate'> =>
  beside.admission ? { rate: rateView(node, beside) } : {};

/** How often a node admits, and why, in a zone whose rates adapt. */
export function rateView(node: Node, beside: RateBeside): NonNullable<NodeView['rate']> {
  const { everyMs } = rateOf(node, beside);
  const rate = { everyMs, adapts: mayAdapt(node, beside.usualMs), because: rateBecause(node, beside) };
  if (!rate.adapts || !beside.bearing) return rate;
  const { p90Ms, medianMs, waiting } = beside.bearing.row;
  return { ...rate, waiting, ...(medianMs !== undefined && p90Ms !== undefined && { readyMs: { median: medianMs, p90: p90Ms } }) };
}

function rateBecause(node: Node, { usualMs, pace, bearing }: RateBeside): string {
  if (node.admitEveryMs !== undefined) return 'an operator has set it';
  if (node.kind === 'storage') return 'nodes of its kind admit any number at once';
  if (usualMs === 0) return 'the deployment has nodes admit any number at once';
  if (bearing && bearing.row.generation === node.generation) return bearing.because;
  if (pace) return 'it follows what it bears';
  return 'it goes by the usual rate, because its agent does not report what it bears';
}
