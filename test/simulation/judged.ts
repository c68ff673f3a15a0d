import type { Config } from './config.ts';
import type { Outcome, Violation } from './outcome.ts';
import { endsInvariant } from './pool.ts';

/** The invariant of the simulation itself: what it finds can be found again. */
export const sameHistory = 'same-seed-same-history';

/** Every how manieth seed is run twice although it holds. */
export const twiceEvery = 20;

/**
 * Runs a history, and once more when it fails or is to be run `twice`: if that is another history, {@link sameHistory}
 * is violated first.
 */
export async function judged(run: (config: Config) => Promise<Outcome>, config: Config, twice: boolean): Promise<Outcome> {
  const outcome = await run(config);
  if (!twice && outcome.violations.length === 0) return outcome;
  // One that threw or did not end has no hash, and takes long.
  if (outcome.violations[0]?.invariant === endsInvariant) return outcome;
  const again = await run(config);
  if (again.hash === outcome.hash) return outcome;
  const what = `its hash was ${outcome.hash} after ${outcome.steps} steps, and then ${again.hash} after ${again.steps}`;
  const violation: Violation = { invariant: sameHistory, what, atMs: outcome.virtualMs, step: outcome.steps };
  return { ...outcome, violations: [violation, ...outcome.violations] };
}
