import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import { limitsOf, steadyMs } from '../../../../lib/mero/processes/rows/limits.ts';
import type { Invariant } from '../invariant.ts';
import { type ProcessStep, processSteps, toldProcess } from '../process-rows.ts';
import { skewMs } from '../rows.ts';

const limits = limitsOf({ vars: {} });
const { attemptsMax, retryMs } = limits;

/** Five attempts, five seconds apart: more would hide from people that something is wrong. */
export const processAttempts: Invariant = {
  name: 'a-failed-process-is-tried-a-few-times',
  says: 'a process that failed by itself is started again by rule five times at the most, and not before five seconds have passed; how often it was is remembered until it has been online for as long as a start may take',
  begin: ({ violated }) => {
    /** When each failed last. */
    const failedAt = new Map<string, number>();
    return {
      committed: (changes) => {
        for (const step of processSteps(changes)) {
          const { id, before, after, at } = step;
          if (!after) failedAt.delete(id);
          else for (const fault of faultsOf(step, after, failedAt.get(id))) violated(`${toldProcess(step)}${fault}`);
          if (after?.state.is === 'failed' && before?.state.is !== 'failed') failedAt.set(id, at);
        }
      },
    };
  },
};

function* faultsOf(step: ProcessStep, after: MeroProcess, failedAt: number | undefined): Generator<string> {
  const { before, at } = step;
  const { attempts = 0 } = after;
  if (attempts > attemptsMax) yield `, for the ${attempts}th time`;
  if (before === undefined) return;
  const isAttempt = after.start > before.start && attempts > (before.attempts ?? 0);
  if (isAttempt && failedAt !== undefined && at < failedAt + retryMs - skewMs) yield `, ${at - failedAt} ms after it failed`;
  if (forgets(before, after, at)) yield `, and it is forgotten that it was tried ${before.attempts} times`;
}

/**
 * Whether a process forgets how often it was tried by coming up, or by failing soon after that: then it would be tried
 * for ever. Of one that is not to run it may be.
 */
function forgets(before: MeroProcess, after: MeroProcess, at: number): boolean {
  if (after.start !== before.start || (after.attempts ?? 0) >= (before.attempts ?? 0)) return false;
  if (after.state.is === 'online') return before.state.is === 'starting';
  const isSteady = before.state.is === 'online' && at + skewMs >= before.since + steadyMs(limits);
  // Let go while it is not to run, it is to be tried at no time.
  const isLetGo = after.attempts === 0 && after.retryAt === undefined;
  return after.state.is === 'failed' && after.attempts !== undefined && !isLetGo && !isSteady;
}
