import { limitsOf } from '../../../lib/processes/limits.ts';
import type { Invariant } from './invariant.ts';
import { processSteps, toldProcess } from './process-rows.ts';
import { skewMs } from './rows.ts';

const { attemptsMax, retryMs } = limitsOf({ vars: {} });

/** Five attempts, five seconds apart: more would hide from people that something is wrong. */
export const processAttempts: Invariant = {
  name: 'a-failed-process-is-tried-a-few-times',
  says: 'a process that failed by itself is started again by rule five times at the most, and not before five seconds have passed',
  begin: ({ violated }) => {
    /** When each failed last. */
    const failedAt = new Map<string, number>();
    return {
      committed: (changes) => {
        for (const step of processSteps(changes)) {
          const { id, before, after, at } = step;
          if (!after) {
            failedAt.delete(id);
            continue;
          }
          const attempts = after.attempts ?? 0;
          if (attempts > attemptsMax) violated(`${id} is tried for the ${attempts}th time`);
          const isAttempt = before !== undefined && after.start > before.start && attempts > (before.attempts ?? 0);
          const failed = failedAt.get(id);
          if (isAttempt && failed !== undefined && at < failed + retryMs - skewMs)
            violated(`${toldProcess(step)}, ${at - failed} ms after it failed`);
          if (after.state.is === 'failed' && before?.state.is !== 'failed') failedAt.set(id, at);
        }
      },
    };
  },
};
