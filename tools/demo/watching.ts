import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How a play waits: `until` asks again until it gets a value, and throws with what it awaited once the bound has
 * passed.
 */
export type Watching = { now(): number; until<T>(what: string, withinMs: number, ask: () => Promise<T | undefined>): Promise<T> };

/** The time between two attempts, in ms. */
const askAgainMs = 200;

/**
 * Asks again a few times a second, and shows on a terminal what it waits for; ends at once when a process of the cast
 * has ended, or `signal` aborts.
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
