import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How a play watches: `until` asks again until it is given something, and throws what was awaited once the bound has
 * passed.
 */
export type Watching = { now(): number; until<T>(what: string, withinMs: number, ask: () => Promise<T | undefined>): Promise<T> };

/** How often is asked, in ms. */
const askAgainMs = 200;

/**
 * Asks again a few times a second, on a terminal with a line that says what is awaited; ends at once when somebody of
 * the cast has, or `signal` says so.
 */
export const watchingOf = (cast: { casualty(): string | undefined }, signal: AbortSignal): Watching => ({
  now: Date.now,
  until: async (what, withinMs, ask) => {
    const started = Date.now();
    for (;;) {
      const found = await ask();
      if (found !== undefined) return found;
      const waitedMs = Date.now() - started;
      progress(`${String(Math.round(waitedMs / 1000)).padStart(3)} s  until ${what}`);
      const casualty = cast.casualty();
      if (casualty !== undefined) throw new Error(casualty);
      if (waitedMs > withinMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
      await sleep(askAgainMs, undefined, { signal });
    }
  },
});

/** One line on a terminal, replaced by the next; nothing anywhere else. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
}
