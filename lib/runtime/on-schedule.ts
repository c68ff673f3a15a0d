import type { ScheduleFunction } from './function.ts';
import type { Shell } from './shell.ts';

/**
 * Runs work on the wired period. A rule of one minute starts it and it sends itself the rest of that minute as delayed messages;
 * repeats are harmless. The embedded host calls it on every period itself, as `message`, and so sends none.
 */
export const onSchedule = (work: (shell: Shell) => Promise<void>, queue: 'sweeps'): ScheduleFunction => ({
  on: 'schedule',
  handle: async (trigger, shell) => {
    if (trigger === 'rule') await sendRestOfMinute(shell, queue);
    await work(shell);
  },
});

/** The messages that run it through the minute which the rule began. */
async function sendRestOfMinute(shell: Shell, queue: 'sweeps'): Promise<void> {
  const { sweepPeriodMs } = shell.settings;
  const sends: Promise<void>[] = [];
  for (let delayMs = sweepPeriodMs; delayMs < 60_000; delayMs += sweepPeriodMs)
    sends.push(shell.queue.send(queue, JSON.stringify({ delayMs }), { delayMs }));
  await Promise.all(sends);
}
