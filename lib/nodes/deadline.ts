import { dayMs, type EpochMs, plusMs } from '../core/time.ts';

/**
 * The longest that a node may be away on purpose. A longer absence is a typing error, not an upgrade, and its client
 * systems would wait for the node all that time.
 */
export const awayMaxMs = 30 * dayMs;

/** Why a node cannot leave until then, as a clause about `until`; undefined when it can, or when no time is given. */
export function deadlineFault(until: EpochMs | undefined, now: EpochMs): string | undefined {
  if (until === undefined) return undefined;
  if (until <= now) return 'must be later than now';
  return until > plusMs(now, awayMaxMs) ? `must be within ${awayMaxMs / dayMs} days` : undefined;
}
