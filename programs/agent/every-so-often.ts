import type { World } from '../../lib/machine/reactor.ts';

/** Runs a function until it is stopped: the first time at once, then `everyMs` after the end of each run. */
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
