import { clamp, type EpochMs, hourMs, plusMs } from '../core/time.ts';

/** The span that new keys of one source are counted over. */
export const newKeysForMs = hourMs;

/** How many unknown machines knocked from one source since a moment. */
export type NewKeys = { readonly since: EpochMs; readonly keys: number };

/** Counts one more new key of this source; undefined when it has had `max` within the hour that begins at `since`. */
export function withOneMoreKey(before: NewKeys | undefined, max: number, now: EpochMs): NewKeys | undefined {
  if (!before || isOver(before, now)) return max === 0 ? undefined : { since: now, keys: 1 };
  return before.keys >= max ? undefined : { ...before, keys: before.keys + 1 };
}

/** Whether the hour of a count is over. */
const isOver = ({ since }: NewKeys, now: EpochMs): boolean => plusMs(since, newKeysForMs) <= now;

/** Whether a row that counts up to `max` new keys of its source counts one more. */
export const hasRoomFor = (before: NewKeys | undefined, max: number, now: EpochMs): boolean =>
  withOneMoreKey(before, max, now) !== undefined;

/** One row counts so many new keys an hour: few enough that machines which knock at once seldom meet in one. */
const keysPerRow = 125;
/** The most rows of one source: some hundred first knocks a second, at the few that one row of DynamoDB bears. */
const rowsMax = 64;

/** The number of rows that count the new keys of one source, of which there may be `max` an hour. */
export const rowsFor = (max: number): number => clamp(Math.ceil(max / keysPerRow), 1, rowsMax);

/** How many new keys the n-th of these rows counts; all of them together count `max`. */
export const partOf = (max: number, n: number): number => Math.floor(max / rowsFor(max)) + (n < max % rowsFor(max) ? 1 : 0);

/** The row that counts a machine first: by its fingerprint, so that nothing must be stored. */
export const rowOf = (fp: string, max: number): number => Number.parseInt(fp.slice(-8), 16) % rowsFor(max);
