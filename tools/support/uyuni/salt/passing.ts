import type { Onboarding } from './onboarding.ts';

/** Time that goes on for the minions of a played server; `stop` resolves when nothing is under way any more. */
export type Passing = { stop(): Promise<void> };

/** Has time go on for the minions of a played server, in steps of so many ms. `failed` takes what goes wrong. */
export function keepPassing(onboarding: Onboarding, everyMs: number, failed: (error: Error) => void): Passing {
  let passing = Promise.resolve();
  const timer = setInterval(() => {
    passing = passing.then(() => onboarding.pass(everyMs)).catch(failed);
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return passing;
    },
  };
}
