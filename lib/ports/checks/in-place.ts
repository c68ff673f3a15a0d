import type { Check } from '../../core/check.ts';
import type { Checks } from './checks.ts';
import { judge } from './json-schema.ts';

/**
 * The assumed cost of every check in place, in ms of processor time. It is not measured, so that a history is the same
 * each time.
 */
const tookMs = 1;
/** The reason given for a check that runs out of time. */
export const lateBecause = 'it takes forever';

/**
 * Checks on the caller's own thread, for tests and the simulation. `isLate` chooses the checks that run out of time.
 */
export const inPlaceChecks = (isLate: (asked: Check) => boolean = () => false): Checks => ({
  check: async (asked) =>
    isLate(asked) ? { verdict: { is: 'late', because: lateBecause }, tookMs: 500 } : { verdict: judge(asked), tookMs },
});
