import { type Admission, measuredForMs, type Pace } from '../../zones/rows/admission.ts';
import type { BearingRow } from './bearing.ts';

/** From this share of the measured hour on, clients that wait ask so often that the rate can rise when it is over. */
const nearlyMeasured = 0.75;

/** The rate of a node by what it has shown, for its own row. */
export function paceOf(row: BearingRow, { from, atMostEveryMs }: Admission): Pace {
  const isFirst = row.phase === 'measuring';
  const mayRise = !isFirst || from === 'at-once' || row.measuredMs >= nearlyMeasured * measuredForMs;
  const soonestMs = mayRise ? Math.max(atMostEveryMs, soonestOf(row, atMostEveryMs)) : row.everyMs;
  return {
    everyMs: row.everyMs,
    ...(soonestMs < row.everyMs && { soonestMs }),
    ...((row.phase === 'steady' || row.phase === 'draining') && { onAverageMs: row.boreEveryMs ?? row.everyMs }),
    ...(row.usual && !isFirst && { readyMs: row.p90Ms ?? row.usual.p90Ms }),
  };
}

/**
 * The interval that the rate may come to within a quarter of an hour. A client system that asks too late comes when the
 * rate may be another again: many that are late would come at any rate.
 */
const soonestOf = ({ phase, everyMs, raised }: BearingRow, ceilingMs: number): number =>
  phase === 'steady' && raised <= 2 ? Math.round(0.8 * everyMs) : ceilingMs;
