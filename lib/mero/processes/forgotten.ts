import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import type { Surroundings } from './move.ts';
import type { MeroProcess } from './process.ts';

/**
 * Whether the restart rule gave up on a process that must run now: it failed, or waited for its next attempt, while its
 * goal was not to run. Its agent starts nothing twice under the same number, so nothing would start it. After its last
 * attempt an operator has to act. So it is where an operator set it to failed, or its node was lost: those processes
 * have no count of attempts.
 */
export const isForgotten = ({ state, attempts, retryAt }: MeroProcess, { goal, limits }: Surroundings): boolean =>
  goal === 'run' && state.is === 'failed' && retryAt === undefined && attempts !== undefined && attempts < limits.attemptsMax;

/**
 * Gives a process that the rule gave up on, and that must run now, all its attempts anew. The first attempt comes no
 * earlier than the retry interval after its failure.
 */
export function tryAnew(process: MeroProcess | undefined, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> {
  if (!process || !isForgotten(process, surroundings)) return nothing('the restart rule covers it');
  const waited = plusMs(process.since, surroundings.limits.retryMs);
  const retryAt = waited > now ? waited : now;
  return write<MeroProcess, never>({ ...process, attempts: 0, retryAt }, 'it must run again: its attempts start over', { wakeAt: retryAt });
}
