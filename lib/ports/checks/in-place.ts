import type { Check } from '../../core/check.ts';
import type { Checks } from './checks.ts';
import { judge } from './json-schema.ts';

/**
 * What every check is taken to cost in place, in ms of processor time: nothing is measured, so that a history is the
 * same each time.
 */
const tookMs = 1;
/** Why a check that is to run out of time did. */
export const lateBecause = 'it takes for ever';

/**
 * Checks where they are asked for, on the same thread, as tests and the simulation do. `isLate` says which checks are
 * to run out of time.
 */
export const inPlaceChecks = (isLate: (asked: Check) => boolean = () => false): Checks => ({
  check: async (asked) =>
    isLate(asked) ? { verdict: { is: 'late', because: lateBecause }, tookMs: 500 } : { verdict: judge(asked), tookMs },
});
