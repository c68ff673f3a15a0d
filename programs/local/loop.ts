import type { Shell } from '../../lib/runtime/shell.ts';

/**
 * Work that repeats by itself: at once while it reports that there was something, else when woken, and once a second
 * anyway.
 */
export type Loop = { readonly wake: () => void; readonly stop: () => Promise<void> };

/** A loop that can finish what is left before it ends. */
export type EndingLoop = Loop & {
  /** Runs again until there is nothing left, work throws, or so many ms are over; the loop has ended then. */
  readonly finish: (withinMs: number) => Promise<void>;
};

/** How often a loop looks for work without being woken, which finds delayed messages and the remains of a crash. */
const lookEveryMs = 1_000;

/**
 * Starts a loop. Work that throws is logged and tried again at the next look, so that a transient failure never ends
 * it.
 */
export function loop(work: () => Promise<boolean>, shell: Pick<Shell, 'log'>): EndingLoop {
  let stopped = false;
  let woken = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    do {
      woken = false;
      try {
        if (await work()) woken = true;
      } catch (error) {
        shell.log('error', 'report.later', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      }
    } while (woken && !stopped);
    running = undefined;
  };
  const wake = (): void => {
    woken = true;
    if (!stopped) running ??= run();
  };
  const timer = setInterval(wake, lookEveryMs);
  wake();
  const stop = async (): Promise<void> => {
    stopped = true;
    clearInterval(timer);
    await running;
  };
  const finish = async (withinMs: number): Promise<void> => {
    const enough = setTimeout(() => void stop(), withinMs);
    wake();
    await running;
    clearTimeout(enough);
    await stop();
  };
  return { wake, stop, finish };
}
