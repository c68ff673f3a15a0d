import type { Bearing } from '../../../events/reported/node.ts';
import { secondMs } from '../../core/time.ts';
import type { BearingRow } from './bearing.ts';
import { seconds } from './words.ts';

/** The load average over a minute of a host, and the longest time to the first job that the operator bears, in ms. */
export type Bounds = { readonly load1: number; readonly readyWithinMs: number };

/** What a report shows of a node at its present rate. */
export type Signs = {
  /** Why the node is strained, in words, and whether by its load alone; undefined if it is not. */
  readonly strain: { readonly because: string; readonly byLoad: boolean } | undefined;
  /** Whether first jobs take too long by this report. */
  readonly isSlow: boolean;
  /** Whether the times of this report are no longer than usual, as far as it has any. */
  readonly isUsual: boolean;
  /** Whether it would bear more: it takes no longer than usual, and no more wait than must. */
  readonly hasRoom: boolean;
};

/**
 * The load average over a minute, for each processor, above which no rate is raised. Above twice as much the node is
 * strained: everything on it takes more than twice as long as it must.
 */
const loadMost = 2;
/** This share of client systems may be broken, and never have a job, whatever their node bears. */
const brokenMost = 0.2;
/** How many first jobs say something about half of them, and about nine of ten. */
const enough = { half: 4, nine: 15 } as const;

/**
 * The time above which a node that usually takes `usualMs` is strained: it is twice as slow, and by more than chance.
 * This is long before the time that the operator bears, because a queue that grows is already lost time.
 */
const strainedMs = (usualMs: number | undefined, readyWithinMs: number): number =>
  usualMs === undefined ? readyWithinMs : Math.min(readyWithinMs, 2 * usualMs + 10 * secondMs);

/** The time below which it would bear more. */
const calmMs = (usualMs: number | undefined, readyWithinMs: number): number =>
  usualMs === undefined ? readyWithinMs / 2 : Math.min((3 * readyWithinMs) / 4, 1.5 * usualMs + 5 * secondMs);

/** The most client systems that wait where `mean` of them do by Little's law, within what chance makes of it. */
export const atMost = (mean: number): number => mean + 3 * Math.sqrt(mean) + 2;
/** The same in five of six reports: more than these may be the beginning of a queue. */
export const mostly = (mean: number): number => mean + Math.sqrt(mean) + 1;

/** About the mean of the times to the first job in ms: the slow ones are far from the others. */
export const meanMs = ({ usual }: Pick<BearingRow, 'usual'>): number => (usual ? (2 * usual.medianMs + usual.p90Ms) / 3 : 0);

/** Whether more client systems never have a job than may be broken. */
const isOverdue = ({ ready, overdue }: Bearing): boolean => overdue > atMost(brokenMost * (ready + overdue));

/** Reads the signs of a report, at the rate of the row. */
export function signsOf(row: BearingRow, bearing: Bearing, bounds: Bounds): Signs {
  const { usual, everyMs } = row;
  const calm = calmMs(usual?.p90Ms, bounds.readyWithinMs);
  const isSlow = takesLong(row, bearing, bounds.readyWithinMs);
  const strain = strainOf(row, bearing, bounds, isSlow);
  const isUsual = bearing.p90Ms === undefined || bearing.p90Ms <= calm;
  const isCalm = strain === undefined && !isSlow && bounds.load1 / bearing.cpus <= loadMost && (isUsual || !isOfNow(row, bearing));
  return { strain, isSlow, isUsual, hasRoom: isCalm && bearing.waiting <= mostly(meanMs(row) / everyMs) };
}

/** Whether its client systems no longer wait for what was too much, and its load is bearable. */
export const isDrained = (row: BearingRow, bearing: Bearing, { load1, readyWithinMs }: Bounds): boolean =>
  bearing.waiting <= atMost((row.usual?.p90Ms ?? readyWithinMs / 2) / (row.boreEveryMs ?? row.everyMs)) &&
  !isOverdue(bearing) &&
  load1 / bearing.cpus <= 2 * loadMost;

/** Times of client systems that were accepted before the rate was set say nothing about it. */
const isOfNow = ({ at, since }: BearingRow, { p90Ms = 0 }: Bearing): boolean => at - since > p90Ms;

function takesLong(row: BearingRow, bearing: Bearing, readyWithinMs: number): boolean {
  const { ready, medianMs = 0, p90Ms = 0 } = bearing;
  if (!isOfNow(row, bearing)) return false;
  if (ready >= enough.nine && p90Ms > strainedMs(row.usual?.p90Ms, readyWithinMs)) return true;
  return ready >= enough.half && medianMs > strainedMs(row.usual?.medianMs, readyWithinMs);
}

function strainOf(row: BearingRow, bearing: Bearing, { load1, readyWithinMs }: Bounds, isSlow: boolean): Signs['strain'] {
  const { waiting, overdue, p90Ms = 0, cpus } = bearing;
  const perCpu = load1 / cpus;
  // One slow report is chance, as far as times go; those that wait are counted, and do not lie.
  if (isSlow && row.slow) return { because: `first jobs take ${seconds(p90Ms)}`, byLoad: false };
  if (waiting > queueMost(row, readyWithinMs)) return { because: `${waiting} client systems wait for their first job`, byLoad: false };
  if (isOverdue(bearing)) return { because: `${overdue} client systems had no first job for minutes`, byLoad: false };
  return perCpu > 2 * loadMost ? { because: `its load is ${perCpu.toFixed(1)} for each processor`, byLoad: true } : undefined;
}

/**
 * The most client systems that may wait, by what the node gets done. A rate that it has not borne before may be twice
 * what it bears, and each second of it is a second of delay, so that it is left sooner.
 */
function queueMost(row: BearingRow, readyWithinMs: number): number {
  const limitMs = (isTried(row) ? calmMs : strainedMs)(row.usual?.p90Ms, readyWithinMs);
  return atMost((donePerS(row) * limitMs) / secondMs);
}

const isTried = ({ phase, raised }: BearingRow): boolean => phase === 'searching' || raised > 2;

/** What was done lately is forgotten by two thirds in this time. */
export const latelyMs = 30 * secondMs;

/**
 * First jobs per second: what was done lately. What is done at a new rate shows later, by the time that it takes; until
 * then it counts as half the rate, which is the rate before it doubled.
 */
function donePerS({ since, at, usual, everyMs, readyPerS }: BearingRow): number {
  const shows = at - since > (usual?.p90Ms ?? 0) + latelyMs;
  return shows ? readyPerS : Math.max(readyPerS, secondMs / everyMs / 2);
}
