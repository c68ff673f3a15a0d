import type { World } from '../../lib/machine/reactor.ts';

/**
 * One run after another, the first at once and each so many ms after the end of the one before, until it is stopped.
 */
export function everySoOften(everyMs: number, run: () => Promise<void>, world: Pick<World, 'after'>): { stop(): void } {
  let stopped = false;
  let cancel = () => {};
  const next = (waitMs: number) => {
    cancel = world.after(waitMs, async () => {
      await run();
      if (!stopped) next(everyMs);
    });
  };
  next(0);
  return {
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
