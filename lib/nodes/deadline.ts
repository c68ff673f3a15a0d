import { dayMs, type EpochMs, plusMs } from '../core/time.ts';

/**
 * The longest a node may be away on purpose. Longer is no upgrade but a slip of the pen, and its client systems would
 * wait for it all the while.
 */
export const awayMaxMs = 30 * dayMs;

/** Why a node cannot leave until then, as a clause about `until`; undefined when it can, or nobody said until when. */
export function deadlineFault(until: EpochMs | undefined, now: EpochMs): string | undefined {
  if (until === undefined) return undefined;
  if (until <= now) return 'must be later than now';
  return until > plusMs(now, awayMaxMs) ? `must be within ${awayMaxMs / dayMs} days` : undefined;
}
