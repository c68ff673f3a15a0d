/** Some of what is found changes without an event, such as how long ago something was: it is asked for this often. */
export const againMs = 30_000;

/** What is found is asked for again this long after something happened, at the earliest. */
const leastMs = 3_000;
/**
 * How much longer than a search takes it is not repeated: in a busy deployment of 100,000 client systems one search is
 * some 100 ms of its host, and people watching must not cost it more than a few hundredths of its time each.
 */
const timesTook = 20;

/** When to search again, given how long the last search took. */
export const pauseAfter = (tookMs: number): number => Math.max(leastMs, timesTook * tookMs);
