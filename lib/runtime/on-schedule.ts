import type { ScheduleFunction } from './function.ts';
import type { Shell } from './shell.ts';

/**
 * Runs work on the wired period. A rule of one minute starts it and it sends itself the rest of that minute as delayed
 * messages; repeats are harmless. The embedded host calls it on every period itself, as `message`, and so sends none.
 *
 * Work and messages do not wait for each other: work needs the table alone, and is done while no queue can be reached.
 * Throws what either of them threw, work's first, once both have ended.
 */
export const onSchedule = (work: (shell: Shell) => Promise<void>, queue: 'sweeps'): ScheduleFunction => ({
  on: 'schedule',
  handle: (trigger, shell) => (trigger === 'rule' ? settled([work(shell), ...restOfMinute(shell, queue)]) : work(shell)),
});

/** The messages that run it through the minute which the rule began. */
function restOfMinute(shell: Shell, queue: 'sweeps'): Promise<void>[] {
  const { sweepPeriodMs } = shell.settings;
  const sends: Promise<void>[] = [];
  for (let delayMs = sweepPeriodMs; delayMs < 60_000; delayMs += sweepPeriodMs)
    sends.push(shell.queue.send(queue, JSON.stringify({ delayMs }), { delayMs }));
  return sends;
}

/** Waits until all have ended. Throws what the first of them in the list threw that failed. */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
