import { type EpochMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import type { Thing } from './thing.ts';

/** How often the things of a host are looked at while one of them starts or stops, and otherwise. */
export const movingLookMs = secondMs;
export const restingLookMs = 3 * secondMs;

/** When to look again. What a runner hears by itself is looked at at once. */
export const lookAfter = ({ held }: { readonly held: ReadonlyMap<unknown, Thing> }, now: EpochMs): EpochMs =>
  plusMs(now, [...held.values()].some(({ is }) => is === 'starting' || is === 'stopping') ? movingLookMs : restingLookMs);
