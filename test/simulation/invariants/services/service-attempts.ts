import type { EpochMs } from '../../../../lib/core/time.ts';
import { isOwnWork } from '../../../../lib/services/rows/own-work.ts';
import type { Service } from '../../../../lib/services/service.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { isOrdered, type ServiceStep, serviceSteps, toldService } from '../service-rows.ts';

/** As the original had it for its processes. */
const attemptsMax = 5;
const retryMs = 5_000;

/** Five attempts, five seconds apart: more would hide from people that something is wrong. */
export const serviceAttempts: Invariant = {
  name: 'a-failed-service-is-tried-a-few-times',
  says: 'a service that failed is started again by rule five times at the most before it has run well, and not before five seconds have passed; one that will be is due',
  begin: ({ violated }) => {
    const failedAt = new Map<string, EpochMs>();
    return {
      committed: (changes) => {
        for (const step of serviceSteps(changes)) {
          const { id, before, after, at } = step;
          if (!after) failedAt.delete(id);
          else for (const fault of faultsOf(step, after, failedAt.get(id))) violated(`${toldService(step)}${fault}`);
          if (after?.state.is === 'failed' && before?.state.is !== 'failed') failedAt.set(id, at);
        }
      },
    };
  },
};

function* faultsOf(step: ServiceStep, after: Service, failedAt: EpochMs | undefined): Generator<string> {
  const { before, at, row } = step;
  const { attempts = 0 } = after;
  if (attempts > attemptsMax) yield `, for the ${attempts}th time`;
  if (after.retryAt !== undefined && row.wakeAt === undefined) yield ', and is never due';
  if (before === undefined || after.start === before.start || attempts <= (before.attempts ?? 0)) return;
  if (failedAt !== undefined && at < failedAt + retryMs - skewMs) yield `, ${at - failedAt} ms after it failed`;
  if (isOrdered(step)) yield ", and an operator's start is none of the rule's";
}

/** Whoever stops something does not want to see it again. */
export const stoppedStays: Invariant = {
  name: 'a-stopped-service-is-not-started-again',
  says: 'once an operator has stopped a service, or it is registered no more, nothing but an operator starts it; what Muster has run itself is none of his',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const step of serviceSteps(changes)) {
        const { before, after } = step;
        if (!after || isOrdered(step) || isOwnWork(after.type)) continue;
        if (!before) violated(`${toldService(step)}, and nobody had ordered it`);
        else if (before.stopping && (after.start > before.start || !after.stopping)) violated(`${toldService(step)}, after it was to stop`);
      }
    },
  }),
};
