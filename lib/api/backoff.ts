import { hourMs, minuteMs, secondMs } from '../core/time.ts';

/** The longest a caller waits before it tries again by itself, unless it has reason to hurry. */
export const backoffMaxMs = minuteMs;
const backoffFirstMs = secondMs;
/** Chance may say "at once", ten times in a row; a caller that listens to it would be a busy loop. */
const backoffMinMs = 100;

/**
 * How long to wait before a call is tried again, in ms: full jitter over a window that doubles with every failure up to
 * `maxMs`, so that callers who failed together do not come back together. A time that Muster asked for is waited out,
 * with up to a tenth on top. `random` is in [0, 1), `failures` counts from 1.
 */
export function backoffMs(failures: number, random: number, { retryAfterMs = 0, maxMs = backoffMaxMs } = {}): number {
  const windowMs = Math.min(maxMs, backoffFirstMs * 2 ** Math.min(failures, 10));
  return Math.round(Math.max(backoffMinMs, windowMs * random, retryAfterMs * (1 + random / 10)));
}

/**
 * The longest that a server has a program wait, in ms, whatever it says: nothing that Muster asks for is longer, and a
 * server that is broken or hostile must put no program to sleep for ever.
 */
export const waitMaxMs = 2 * hourMs;

/** What the header `retry-after` asks for, in ms, {@link waitMaxMs} at the most; 0 when it is absent or a date. */
export const retryAfterMsOf = (headers: Headers): number => {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds * secondMs, waitMaxMs) : 0;
};
