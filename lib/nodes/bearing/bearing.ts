import * as z from 'zod';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/**
 * How the rate of a node moves. `measuring`: the usual rate, for an hour of measurements. `searching`: it doubles until
 * the first sign of strain. `draining`: it is low until those that wait are done. `steady`: a little below what the
 * node bore at the last strain, with a probe now and then.
 */
export const Phase = z.enum(['measuring', 'searching', 'draining', 'steady']);
export type Phase = z.infer<typeof Phase>;

/**
 * What a node has shown that it can bear, and the rate that follows from it. One row a node, written by heartbeats that
 * report accepted client systems.
 */
export const BearingRow = z.strictObject({
  /** The membership, boot and heartbeat of the last report: an older or repeated one is not taken in again. */
  generation: z.int().nonnegative(),
  incarnation: z.int().nonnegative(),
  seq: z.int().nonnegative(),
  at: EpochMs,
  phase: Phase,
  /** For how long it was measured while it admitted. */
  measuredMs: z.int().nonnegative(),
  /** The rate, since when, and since when of these the phase lasts. */
  everyMs: z.int().positive(),
  since: EpochMs,
  /** Accepted client systems, and first jobs, since then; those that waited for theirs then. */
  accepted: z.int().nonnegative(),
  ready: z.int().nonnegative(),
  waited: z.int().nonnegative(),
  /** First jobs per second lately. */
  readyPerS: z.number().nonnegative(),
  /** How often it can admit, by what it got done when it was last strained: absent if it never was. */
  boreEveryMs: z.int().positive().optional(),
  /** The same from before that strain. */
  boreBeforeMs: z.int().positive().optional(),
  /** The time from acceptance to the first job while it was not strained: for half, and for nine of ten. */
  usual: z.strictObject({ medianMs: z.int().nonnegative(), p90Ms: z.int().nonnegative() }).optional(),
  /** By the report before, first jobs take too long: a second such report in a row is no chance. */
  slow: z.literal(true).optional(),
  /** How many first jobs the usual times are from. */
  learnedOf: z.int().nonnegative(),
  /** How often the rate was raised since the last strain. */
  raised: z.int().nonnegative(),
  /** The time from acceptance to the first job, and those that wait for it, in the last report. */
  medianMs: z.int().nonnegative().optional(),
  p90Ms: z.int().nonnegative().optional(),
  waiting: z.int().nonnegative(),
});
export type BearingRow = z.infer<typeof BearingRow>;

/** What a node has shown that it can bear, by its id. */
export const bearingRef = refOf('bearing', BearingRow);
