import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import type { Around } from './move.ts';
import type { MeroProcess } from './process.ts';

/**
 * Whether the rule let a process go that is to run by now: it failed, or waited for its next attempt, while it was not
 * to. Its agent starts nothing twice by the same number, so nobody would. After its last attempt somebody has to look,
 * and so where an operator says that it has failed, or its node was lost: those have no count.
 */
export const isForgotten = ({ state, attempts, retryAt }: MeroProcess, { goal, limits }: Around): boolean =>
  goal === 'run' && state.is === 'failed' && retryAt === undefined && attempts !== undefined && attempts < limits.attemptsMax;

/**
 * One that the rule let go and that is to run by now is tried again as often as any, and like any not before it has
 * waited since it failed.
 */
export function tryAnew(process: MeroProcess | undefined, around: Around, now: EpochMs): Decision<MeroProcess> {
  if (!process || !isForgotten(process, around)) return nothing('the rule knows of it');
  const waited = plusMs(process.since, around.limits.retryMs);
  const retryAt = waited > now ? waited : now;
  return write<MeroProcess, never>({ ...process, attempts: 0, retryAt }, 'it is to run again', { wakeAt: retryAt });
}
