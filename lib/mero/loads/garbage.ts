import { type PlannedChange, write } from '../../core/decision.ts';
import type { ZoneName } from '../../core/ids.ts';
import { dayMs, type EpochMs, plusMs } from '../../core/time.ts';
import { type Garbage, garbageRef, type MeroLoad } from './load.ts';

/** How long a load may stay idle before it counts as given up, in ms. */
export const loadIdleMs = dayMs;
/**
 * How often the rows of a cluster are searched when nothing calls for it, in ms: a lost reservation waits no longer
 * than that.
 */
export const garbageEveryMs = dayMs;

/** The loads that count: the one of the cluster, and one that is under way. With `ended` none does. */
export type Reachable = { readonly loaded: string | undefined; readonly underWay: string | undefined; readonly ended: boolean };

/** The parts of a row that decide whether it can be reached: its noun, its load, and the process that it belongs to. */
export type Reached = { readonly noun: string; readonly load?: string | undefined; readonly process?: string | undefined };

/**
 * The nouns of rows that always stay: the fids of a zone outlive it, since a fid belongs to one thing forever; the
 * others end by themselves.
 */
const stays: readonly string[] = ['cluster', 'fids', 'garbage'];
/** The nouns of rows that belong to a load, or to none. */
const ofLoads: readonly string[] = ['mero-node', 'process', 'devices', 'endpoint', 'layout', 'loaded-part'];

/**
 * Whether a row is garbage: `true`, `false`, or `unless-process` if it is garbage unless its process exists. No row of
 * a load under way is, since its rows come one after another.
 */
export function isGarbage({ noun, load, process }: Reached, { loaded, underWay, ended }: Reachable): boolean | 'unless-process' {
  if (stays.includes(noun)) return false;
  if (ended) return true;
  if (!ofLoads.includes(noun)) return false;
  if (load !== undefined && load === underWay) return false;
  if (noun === 'loaded-part') return true;
  if (load !== undefined && load !== loaded) return true;
  return process === undefined ? false : 'unless-process';
}

/** Whether a load has been idle for so long that it counts as given up. */
export const isLeft = ({ seenAt }: Pick<MeroLoad, 'seenAt'>, now: EpochMs): boolean => plusMs(seenAt, loadIdleMs) <= now;

/**
 * When to search a cluster again after a search that reached the end: at once if it found something, since that may
 * have uncovered more.
 */
export function nextLook({ found }: Garbage, load: MeroLoad | undefined, now: EpochMs): EpochMs {
  if (found) return now;
  const every = plusMs(now, garbageEveryMs);
  const left = load && plusMs(load.seenAt, loadIdleMs);
  return left !== undefined && left < every ? left : every;
}

/** A row as a plan read it: its state, undefined for none, its revision, and when it is due. */
export type Held<S> = { readonly state: S | undefined; readonly rev: number; readonly wakeAt?: EpochMs | undefined };

/**
 * Schedules a search of a cluster from the beginning, at this moment or earlier if one is already due; of everything
 * once its zone has `ended`.
 */
export function lookFrom(zone: ZoneName, { rev, state, wakeAt }: Held<Garbage>, at: EpochMs, ended?: true): PlannedChange {
  const next: Garbage = { zone, ...((ended ?? state?.ended) && { ended: true as const }) };
  const when = state && wakeAt !== undefined && wakeAt < at ? wakeAt : at;
  return { ref: garbageRef(zone), readRev: rev, decision: write(next, 'some rows may be out of reach', { wakeAt: when }) };
}
