import type { Shell } from '../../lib/runtime/shell.ts';
import type { Loop } from './loop.ts';

/**
 * Runs work at once and then every so often, never twice at a time: a run that takes longer than the period delays the
 * next.
 */
export function every(periodMs: number, work: () => Promise<void>, shell: Pick<Shell, 'log'>): Loop {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= work()
      .catch((error: unknown) =>
        shell.log('error', 'report.later', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      )
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(run, periodMs);
  run();
  return {
    wake: run,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
