import type { Check, Verdict } from '../../core/check.ts';

/** A verdict, and how much processor time the check took. */
export type Checked = { readonly verdict: Verdict; readonly tookMs: number };

/**
 * Checks schemas that operators wrote, so that a check cannot hold up anything else. Each check has a limit of
 * processor time. Throws a Later when the machine is too busy to give the check that time.
 */
export interface Checks {
  check(asked: Check): Promise<Checked>;
}
