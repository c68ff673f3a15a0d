import { type EpochMs, hourMs, plusMs } from '../core/time.ts';

/** The span that new keys of one source are counted over. */
export const newKeysForMs = hourMs;

/** How many unknown machines knocked from one source since a moment. */
export type NewKeys = { readonly since: EpochMs; readonly keys: number };

/** Counts one more new key of this source; undefined when it has had `max` within the hour that begins at `since`. */
export function withOneMoreKey(before: NewKeys | undefined, max: number, now: EpochMs): NewKeys | undefined {
  if (!before || plusMs(before.since, newKeysForMs) <= now) return { since: now, keys: 1 };
  return before.keys >= max ? undefined : { ...before, keys: before.keys + 1 };
}
