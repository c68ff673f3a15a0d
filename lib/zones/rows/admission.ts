import * as z from 'zod';
import { hourMs, minuteMs, secondMs } from '../../core/time.ts';

/**
 * How the nodes of a zone admit client systems that move to them, where their rates follow what they can bear. `from`:
 * a rate adapts once an hour was measured, or at once. `atMostEveryMs`: no rate that adapts is faster than one per this
 * interval. `readyWithinMs`: the time from acceptance to the first successful job that is bearable for nine of ten.
 */
export const Admission = z.strictObject({
  from: z.enum(['measured', 'at-once']),
  atMostEveryMs: z.int().positive(),
  readyWithinMs: z.int().positive(),
});
export type Admission = z.infer<typeof Admission>;

/** How an operator has the nodes of a zone admit: at fixed rates, or at rates that adapt, after an hour or at once. */
export const AdmissionMode = z.enum(['fixed', 'adapts', 'adapts-at-once']);
export type AdmissionMode = z.infer<typeof AdmissionMode>;

/** The mode that this setting is of. */
export const modeOf = (admission: Admission | undefined): AdmissionMode =>
  admission === undefined ? 'fixed' : admission.from === 'at-once' ? 'adapts-at-once' : 'adapts';

/**
 * The fastest rate that adapts unless an operator sets another: one a second, fifteen times the rate that is safe on
 * any server. A node of 14,000 client systems then comes back on eleven others in 21 minutes.
 */
export const usualCeilingMs = secondMs;
/** The bounds of a ceiling, in ms: a node that admits less than one a minute does not bear anything. */
export const ceilingBounds = { leastMs: 50, mostMs: minuteMs } as const;

/**
 * How long nine of ten client systems may take from acceptance to their first successful job, unless an operator sets
 * another time. A registration takes half a minute on a server that is not busy; Salt gives up a job after minutes.
 */
export const usualReadyWithinMs = 2 * minuteMs;
/** The bounds of that time, in ms. */
export const readyWithinBounds = { leastMs: 5 * secondMs, mostMs: hourMs } as const;

/** For how long a node is measured at its usual rate, while it admits, before that adapts. */
export const measuredForMs = hourMs;

/**
 * The rate that a node was found to bear. `soonestMs`: the interval that it may come to before client systems that wait
 * ask again; absent: none shorter. `onAverageMs`: the interval that it has on average, once it is known what the node
 * bears: it is longer while others are done, and shorter while it is tried whether the node bears more. `readyMs`: the
 * time from acceptance to the first job for nine of ten.
 */
export const Pace = z.strictObject({
  everyMs: z.int().positive(),
  soonestMs: z.int().positive().optional(),
  onAverageMs: z.int().positive().optional(),
  readyMs: z.int().nonnegative().optional(),
});
export type Pace = z.infer<typeof Pace>;

/** A rate: the interval at which a node admits in ms, 0 for any number at once; and what it may come to by itself. */
export type Rate = Pace;

/** The rate that a node was found to bear, within the ceiling of its zone. */
export function paceWithin({ everyMs, soonestMs, onAverageMs, readyMs }: Pace, { atMostEveryMs }: Admission): Rate {
  const every = Math.max(everyMs, atMostEveryMs);
  const soonest = Math.max(soonestMs ?? every, atMostEveryMs);
  return {
    everyMs: every,
    ...(soonest < every && { soonestMs: soonest }),
    ...(onAverageMs !== undefined && { onAverageMs: Math.max(onAverageMs, atMostEveryMs) }),
    ...(readyMs !== undefined && { readyMs }),
  };
}

/** Whether two rates are the same but for what is only shown. */
export const isSamePace = (one: Pace | undefined, other: Pace): boolean =>
  one?.everyMs === other.everyMs && one.soonestMs === other.soonestMs;
