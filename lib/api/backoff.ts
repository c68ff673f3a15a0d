import { hourMs, minuteMs, secondMs } from '../core/time.ts';

/** The longest that a caller waits before it tries again by itself, in ms; a caller in a hurry may wait less. */
export const backoffMaxMs = minuteMs;
const backoffFirstMs = secondMs;
/**
 * The shortest wait, in ms. Chance may give zero ten times in a row, and without a minimum the caller would be a busy
 * loop.
 */
const backoffMinMs = 100;

/**
 * How long to wait before a call is tried again, in ms: full jitter over a window that doubles with every failure up to
 * `maxMs`, so that callers that failed together do not come back together. A wait that Muster asked for is observed,
 * with up to a tenth on top. `random` is in [0, 1); `failures` counts from 1.
 */
export function backoffMs(failures: number, random: number, { retryAfterMs = 0, maxMs = backoffMaxMs } = {}): number {
  const windowMs = Math.min(maxMs, backoffFirstMs * 2 ** Math.min(failures, 10));
  return Math.round(Math.max(backoffMinMs, windowMs * random, retryAfterMs * (1 + random / 10)));
}

/**
 * The longest that a server can make a program wait, in ms. Muster never asks for more, and a broken or hostile server
 * must not put a program to sleep for ever.
 */
export const waitMaxMs = 2 * hourMs;

/**
 * The wait that the header `retry-after` asks for, in ms, {@link waitMaxMs} at the most; 0 when it is absent or a date.
 */
export const retryAfterMsOf = (headers: Headers): number => {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds * secondMs, waitMaxMs) : 0;
};
