import { expect, it } from 'vitest';
import { onSchedule } from '../../../lib/runtime/on-schedule.ts';
import { aShell } from '../../support/a-shell.ts';

it('a schedule started by its rule runs, and sends itself the rest of the minute', async () => {
  const shell = aShell({ sweepPeriodMs: 5_000 });
  let runs = 0;
  const schedule = onSchedule(async () => {
    runs += 1;
  }, 'sweeps');

  await schedule.handle('rule', shell);

  expect(runs).toBe(1);
  const cameAfterMs: number[] = [];
  for (let ms = 0; ms <= 60_000; ms += 1_000) {
    const messages = await shell.queue.receive('sweeps', 100, 600_000);
    cameAfterMs.push(...messages.map(() => ms));
    for (const _message of messages) await schedule.handle('message', shell);
    shell.step(1_000);
  }
  expect(cameAfterMs).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55].map((seconds) => seconds * 1_000));
  expect(runs).toBe(12);
  expect(await shell.queue.depth('sweeps')).toMatchObject({ messages: 11 });
});
