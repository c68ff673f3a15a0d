import type { EpochMs } from '../../lib/core/time.ts';
import type { World } from '../../lib/machine/reactor.ts';

/** A world whose clock moves only when it is stepped; `random` is always the middle. */
export type SteppedWorld = World & { step(ms: number): void };

/** Begins at the epoch. Timers run in the order of their moments, each at its moment. */
export function aSteppedWorld(): SteppedWorld {
  let now = 0;
  let timers: { at: number; then: () => void }[] = [];
  const next = (until: number) => timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now as EpochMs,
    random: () => 0.5,
    after: (waitMs, then) => {
      const timer = { at: now + waitMs, then };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    step: (ms) => {
      const until = now + ms;
      for (let timer = next(until); timer; timer = next(until)) {
        now = timer.at;
        timers = timers.filter((other) => other !== timer);
        timer.then();
      }
      now = until;
    },
  };
}
