import { expect, it } from 'vitest';
import { Later } from '../../../lib/core/errors.ts';
import { onSchedule } from '../../../lib/runtime/on-schedule.ts';
import { aShell } from '../../../tools/support/a-shell.ts';

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

it('a schedule works while its queue is away, and says afterwards that it could send nothing', async () => {
  const shell = aShell({ sweepPeriodMs: 5_000 });
  const away = new Later('service.busy', 'sweeps: no answer');
  const send = () => Promise.reject(away);
  let runs = 0;
  const schedule = onSchedule(async () => {
    await Promise.resolve();
    runs += 1;
  }, 'sweeps');

  await expect(schedule.handle('rule', { ...shell, queue: { ...shell.queue, send } })).rejects.toBe(away);

  expect(runs).toBe(1);
});

it('a schedule whose work fails has sent itself the rest of the minute all the same', async () => {
  const shell = aShell({ sweepPeriodMs: 5_000 });
  const busy = new Later('service.busy', 'read: no answer');

  await expect(onSchedule(() => Promise.reject(busy), 'sweeps').handle('rule', shell)).rejects.toBe(busy);

  expect(await shell.queue.depth('sweeps')).toMatchObject({ messages: 11 });
});
