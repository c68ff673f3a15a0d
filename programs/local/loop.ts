import type { Shell } from '../../lib/runtime/shell.ts';

/**
 * Work that goes on by itself: at once while it says there was something, else when woken, and once a second anyway.
 */
export type Loop = { readonly wake: () => void; readonly stop: () => Promise<void> };

/** A loop that can be told to end with nothing left to do. */
export type EndingLoop = Loop & {
  /** Looks once more and goes on until there is nothing, work throws, or so many ms are over; has ended then. */
  readonly finish: (withinMs: number) => Promise<void>;
};

/** How often a loop looks even when nobody woke it: delayed messages and what a crash left come to light by this. */
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
