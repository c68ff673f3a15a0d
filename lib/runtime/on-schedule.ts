import type { ScheduleFunction } from './function.ts';
import type { Shell } from './shell.ts';

/**
 * Runs work on the wired period. Where that is less than a minute, a rule starts it every minute, and it sends itself
 * delayed messages by a queue for the rest of that minute; repeats are harmless. The embedded host itself calls it on
 * every period, as `message`, so that it sends none.
 *
 * Work and messages do not wait for each other: work needs only the table, and runs even while no queue can be reached.
 * Throws the error of either, work's first, once both have ended.
 */
export const onSchedule = (work: (shell: Shell) => Promise<void>, queue?: 'sweeps'): ScheduleFunction => ({
  on: 'schedule',
  handle: (trigger, shell) => (trigger === 'rule' && queue ? settled([work(shell), ...restOfMinute(shell, queue)]) : work(shell)),
});

/** The messages that run it through the rest of the minute. */
function restOfMinute(shell: Shell, queue: 'sweeps'): Promise<void>[] {
  const { sweepPeriodMs } = shell.settings;
  const sends: Promise<void>[] = [];
  for (let delayMs = sweepPeriodMs; delayMs < 60_000; delayMs += sweepPeriodMs)
    sends.push(shell.queue.send(queue, JSON.stringify({ delayMs }), { delayMs }));
  return sends;
}

/** Waits until all have ended. Throws the error of the first in the list that failed. */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
