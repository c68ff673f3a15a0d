import { type PlannedChange, write } from '../../core/decision.ts';
import type { ZoneName } from '../../core/ids.ts';
import { dayMs, type EpochMs, plusMs } from '../../core/time.ts';
import { type Garbage, garbageRef, type MeroLoad } from './load.ts';

/** How long a load may be left alone before it counts as given up. */
export const loadKeptMs = dayMs;
/** How often a cluster is looked through when nothing calls for it: a reservation that was lost waits no longer. */
export const garbageEveryMs = dayMs;

/** Which loads count: that of the cluster, and one that is under way. With `ended` none does. */
export type Reachable = { readonly loaded: string | undefined; readonly underWay: string | undefined; readonly ended: boolean };

/** What a row says that decides whether anybody can reach it: its noun, its load, and of which process it is. */
export type Reached = { readonly noun: string; readonly load?: string | undefined; readonly process?: string | undefined };

/**
 * What never goes: the fids of a zone outlive it, since a fid is one thing's for ever; the others end by themselves.
 */
const stays: readonly string[] = ['cluster', 'fids', 'garbage'];
/** What is of a load, or of nobody's. */
const ofLoads: readonly string[] = ['mero-node', 'process', 'devices', 'endpoint', 'layout', 'loaded-part'];

/**
 * Whether a row is garbage: `true`, `false`, or `unless-process` when it is unless its process is there. Nothing of a
 * load under way is, since its rows come one after another.
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

/** Whether a load was left alone for so long that it counts as given up. */
export const isLeft = ({ seenAt }: Pick<MeroLoad, 'seenAt'>, now: EpochMs): boolean => plusMs(seenAt, loadKeptMs) <= now;

/**
 * When a cluster is looked through again after a look that found the end: at once while what it found may have
 * uncovered more.
 */
export function nextLook({ found }: Garbage, load: MeroLoad | undefined, now: EpochMs): EpochMs {
  if (found) return now;
  const every = plusMs(now, garbageEveryMs);
  const left = load && plusMs(load.seenAt, loadKeptMs);
  return left !== undefined && left < every ? left : every;
}

/** A row as a plan read it: its state, undefined for none, its revision, and when it is due. */
export type Held<S> = { readonly state: S | undefined; readonly rev: number; readonly wakeAt?: EpochMs | undefined };

/**
 * Has a cluster looked through from the beginning, at a moment or before that if it is to be anyway; for good when its
 * zone has `ended`.
 */
export function lookFrom(zone: ZoneName, { rev, state, wakeAt }: Held<Garbage>, at: EpochMs, ended?: true): PlannedChange {
  const next: Garbage = { zone, ...((ended ?? state?.ended) && { ended: true as const }) };
  const when = state && wakeAt !== undefined && wakeAt < at ? wakeAt : at;
  return { ref: garbageRef(zone), readRev: rev, decision: write(next, 'rows may be out of reach', { wakeAt: when }) };
}
