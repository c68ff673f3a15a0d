import { type EpochMs, plusMs, secondMs } from './time.ts';

/**
 * How long calls of the boot before may still arrive once the next one has been heard, in ms: an endpoint that stalled
 * takes the calls of both boots at once, in any order.
 */
export const underWayMs = 5 * secondMs;

/** Whether a call received at a moment may have been on its way when a boot was heard first, at `since`. */
export const mayBeUnderWay = (since: EpochMs, at: EpochMs): boolean => at <= plusMs(since, underWayMs);
