import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import { movingLookMs, restingLookMs } from '../processes/look.ts';
import type { ServicesState } from './state.ts';

/** When to look again, by what there is to wait for. */
export const lookAfter = (state: ServicesState, now: EpochMs): EpochMs =>
  plusMs(now, [...state.held.values()].some(({ is }) => is === 'starting' || is === 'stopping') ? movingLookMs : restingLookMs);
