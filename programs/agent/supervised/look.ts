import { type EpochMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import type { Thing } from './thing.ts';

/** How often to look at the things of a host: while one of them starts or stops, and otherwise. */
export const movingLookMs = secondMs;
export const restingLookMs = 3 * secondMs;

/** When the next look is due. A look follows at once where a runner notices an end by itself. */
export const lookAfter = ({ held }: { readonly held: ReadonlyMap<unknown, Thing> }, now: EpochMs): EpochMs =>
  plusMs(now, [...held.values()].some(({ is }) => is === 'starting' || is === 'stopping') ? movingLookMs : restingLookMs);
