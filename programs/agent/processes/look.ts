import { type EpochMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import type { ProcessesState } from './state.ts';

/**
 * How often processes are looked at while one is on its way, and while none is: what a runner hears by itself is looked
 * at at once.
 */
export const movingLookMs = secondMs;

export const restingLookMs = 3 * secondMs;

/** When to look again, by what there is to wait for. */
export const lookAfter = (state: ProcessesState, now: EpochMs): EpochMs =>
  plusMs(now, [...state.held.values()].some(({ is }) => is === 'starting' || is === 'stopping') ? movingLookMs : restingLookMs);
