import type { Bearing, NodeHeartbeat } from '../../../events/reported/node.ts';
import { type Decision, nothing, write } from '../../core/decision.ts';
import { minuteMs, secondMs } from '../../core/time.ts';
import type { Admission } from '../../zones/rows/admission.ts';
import type { BearingRow } from './bearing.ts';
import { moved } from './phases.ts';
import { latelyMs, type Signs, signsOf } from './strain.ts';

/** What a report is judged by: the membership of its node, the usual rate of its kind in ms, its zone's settings. */
export type Judging = { readonly generation: number; readonly usualMs: number; readonly admission: Admission };

/**
 * What a node can bear, after a report with its heartbeat. The rate doubles until the first sign of strain, falls below
 * what the node gets done, and then stays a little below that, with a probe now and then. A report without accepted
 * client systems changes nothing: a rate that is not used shows nothing.
 */
export function decideBearing(row: BearingRow | undefined, heartbeat: NodeHeartbeat, judging: Judging): Decision<BearingRow> {
  const { bearing, load } = heartbeat.data;
  if (!bearing) return nothing('a heartbeat that does not report what its node bears');
  const known = row?.generation === judging.generation ? row : undefined;
  if (known && isOlder(heartbeat, known)) return nothing('a report from before the one on record');
  if (!known) return write<BearingRow, never>(begun(heartbeat, bearing, judging), 'its agent reports what it bears');
  if (bearing.accepted + bearing.ready + bearing.waiting + bearing.overdue === 0) return nothing('it admitted nobody');
  const { usualMs, admission } = judging;
  const seen = observed(known, heartbeat, bearing, admission);
  const signs = signsOf(seen, bearing, { load1: load.load1, readyWithinMs: admission.readyWithinMs });
  const { next, because } = moved(learned(seen, bearing, signs), { bearing, load1: load.load1, signs, usualMs, admission });
  return write<BearingRow, never>(next, because);
}

const isOlder = ({ incarnation = 0, seq = 0 }: NodeHeartbeat, known: BearingRow): boolean =>
  incarnation < known.incarnation || (incarnation === known.incarnation && seq <= known.seq);

const reported = ({ incarnation = 0, seq = 0, receivedAt }: NodeHeartbeat, { medianMs, p90Ms, waiting }: Bearing) => ({
  incarnation,
  seq,
  at: receivedAt,
  waiting,
  ...(medianMs !== undefined && { medianMs }),
  ...(p90Ms !== undefined && { p90Ms }),
});

const begun = (heartbeat: NodeHeartbeat, bearing: Bearing, { generation, usualMs }: Judging): BearingRow => ({
  generation,
  ...reported(heartbeat, bearing),
  phase: 'measuring',
  measuredMs: 0,
  everyMs: usualMs,
  since: heartbeat.receivedAt,
  accepted: bearing.accepted,
  ready: bearing.ready,
  waited: bearing.waiting,
  readyPerS: rounded(bearing.ready / (bearing.overMs / secondMs)),
  learnedOf: 0,
  raised: 0,
});

/** After so long without a report of admissions, those before say nothing about the present. */
const quietMs = 2 * minuteMs;

/** The row with the counts of a report, and within a ceiling that may have been lowered. */
function observed(row: BearingRow, heartbeat: NodeHeartbeat, bearing: Bearing, { atMostEveryMs }: Admission): BearingRow {
  const { medianMs: _median, p90Ms: _p90, ...rest } = row;
  const at = heartbeat.receivedAt;
  const spanMs = Math.max(bearing.overMs, at - row.at);
  const weight = 1 - Math.exp(-spanMs / latelyMs);
  const counted = at - row.at > quietMs ? { since: at, accepted: 0, ready: 0, waited: bearing.waiting } : row;
  return {
    ...rest,
    ...reported(heartbeat, bearing),
    everyMs: Math.max(row.everyMs, atMostEveryMs),
    measuredMs: row.measuredMs + Math.min(bearing.overMs, quietMs),
    since: counted.since,
    accepted: counted.accepted + bearing.accepted,
    ready: counted.ready + bearing.ready,
    waited: counted.waited,
    readyPerS: rounded(row.readyPerS + weight * (bearing.ready / (spanMs / secondMs) - row.readyPerS)),
  };
}

/** To a thousandth, so that the row stays small. */
const rounded = (perS: number): number => Math.round(perS * 1_000) / 1_000;

/** So many first jobs are remembered in the usual times, in which those before them fade. */
const learnedMost = 300;

/**
 * The row with the usual times to the first job, as far as the report shows them. Those of a node that is strained, or
 * no longer as fast as usual, are not usual: a queue that grows slowly must not pass for it.
 */
function learned(row: BearingRow, { ready, medianMs, p90Ms }: Bearing, { isSlow, isUsual, strain }: Signs): BearingRow {
  const { slow: _before, usual: before, learnedOf, ...rest } = row;
  const of = Math.min(learnedMost, learnedOf + ready);
  const known = { ...rest, learnedOf, ...(before && { usual: before }), ...(isSlow && { slow: true as const }) };
  const isTypical = row.phase === 'measuring' || (row.phase !== 'draining' && isUsual && strain === undefined);
  if (medianMs === undefined || p90Ms === undefined || !isTypical) return known;
  if (before === undefined) return { ...known, usual: { medianMs, p90Ms }, learnedOf: of };
  const nearer = (was: number, is: number): number => Math.round(was + (ready / of) * (is - was));
  return { ...known, usual: { medianMs: nearer(before.medianMs, medianMs), p90Ms: nearer(before.p90Ms, p90Ms) }, learnedOf: of };
}
