import { type EpochMs, secondMs } from './time.ts';

/** How often something may happen: so often on average, and so many times at once after a pause. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** Calls that a caller may still make, as of a moment. */
export type Bucket = { readonly tokens: number; readonly at: EpochMs };

/** Tokens are fractions: a token that lacks less than this counts as whole. */
const rounding = 1e-9;

/**
 * Takes a call out of a bucket. If the bucket is empty, `waitMs` is the wait for the next call, in whole ms. A clock
 * that goes back fills nothing.
 */
export function take(before: Bucket | undefined, rate: Rate, now: EpochMs): { readonly bucket: Bucket; readonly waitMs: number } {
  const grown = before ? before.tokens + (Math.max(0, now - before.at) * rate.perSecond) / secondMs : rate.burst;
  const tokens = Math.min(rate.burst, grown);
  if (tokens >= 1 - rounding) return { bucket: { tokens: tokens - 1, at: now }, waitMs: 0 };
  return { bucket: { tokens, at: now }, waitMs: Math.ceil((1 - tokens - rounding) * (secondMs / rate.perSecond)) };
}
