import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EpochMs, minuteMs, plusMs } from '../../lib/core/time.ts';
import { memoryQueue } from '../../lib/ports/queue/memory.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import type { WatchedQueue } from '../../lib/ports/queue/watched.ts';
import { noon } from '../../tools/support/a-row.ts';
import { aStateFolder, type StateFolder } from '../support/a-state-file.ts';

/** The moment it is in the test; steps when the test says so. */
let moment: EpochMs;
const now = (): EpochMs => moment;
const pass = (ms: number): void => {
  moment = plusMs(moment, ms);
};

let folder: StateFolder;
beforeEach(() => {
  moment = noon;
  folder = aStateFolder();
});
afterEach(() => folder.remove());

describe.each([
  { name: 'in memory', open: () => memoryQueue(now) },
  { name: 'in SQLite', open: () => folder.open({ now }).queue },
])('a queue $name', ({ open }) => {
  let queue: WatchedQueue;
  beforeEach(() => {
    queue = open();
  });
  const bodies = async (limit = 10, visibilityMs = 1_000) => (await queue.receive('reports', limit, visibilityMs)).map(({ body }) => body);

  test('hands a message over with what is known about it', async () => {
    await queue.send('reports', 'from a door');
    pass(5);
    await queue.sendFromBus('reports', 'from the bus');
    const [first, second] = await queue.receive('reports', 10, 1_000);
    expect(first).toStrictEqual({ id: first!.id, body: 'from a door', via: 'door', sentAt: noon, receives: 1 });
    expect(second).toStrictEqual({ id: second!.id, body: 'from the bus', via: 'bus', sentAt: plusMs(noon, 5), receives: 1 });
    expect(first!.id).not.toBe(second!.id);
  });

  test('has the letter go with a message that was one, as often as it is handed over, and no other', async () => {
    const letter = { id: 'node#n1#node@17', attempt: 2, via: 'bus', sentAt: plusMs(noon, -60_000) } as const;
    await queue.send('reports', 'given back', { letter: letter });
    await queue.send('reports', 'new');
    const message = { body: 'given back', via: 'door', sentAt: noon, letter };
    const [first, second] = await queue.receive('reports', 10, 1_000);
    expect(first).toStrictEqual({ ...message, id: first!.id, receives: 1 });
    expect(second).not.toHaveProperty('letter');
    pass(1_000);
    expect((await queue.receive('reports', 1, 1_000))[0]).toStrictEqual({ ...message, id: first!.id, receives: 2 });
  });

  test('keeps its messages apart from those of other queues', async () => {
    await queue.send('reports', 'a report');
    await queue.send('heartbeats', 'a heartbeat');
    const [heartbeat] = await queue.receive('heartbeats', 10, 1_000);
    await queue.acknowledge('reports', [heartbeat!.id]);
    expect(await queue.depth('heartbeats')).toMatchObject({ messages: 1 });
    expect(await bodies()).toEqual(['a report']);
  });

  test('hands over the oldest first, as many as asked for', async () => {
    for (const body of ['1', '2', '3']) await queue.send('reports', body);
    expect(await bodies(2)).toEqual(['1', '2']);
    expect(await bodies(2)).toEqual(['3']);
    expect(await bodies(2)).toEqual([]);
  });

  test('hides a message from others until its time is over, and counts how often it was handed over', async () => {
    await queue.send('reports', 'slow');
    await queue.receive('reports', 1, 1_000);
    pass(999);
    expect(await bodies()).toEqual([]);
    pass(1);
    expect(await queue.receive('reports', 1, 1_000)).toMatchObject([{ body: 'slow', receives: 2, sentAt: noon }]);
  });

  test('forgets a message that was acknowledged, and no other', async () => {
    for (const body of ['1', '2', '3']) await queue.send('reports', body);
    const received = await queue.receive('reports', 3, 1_000);
    await queue.acknowledge('reports', [received[0]!.id, received[2]!.id, 'none']);
    pass(1_000);
    expect(await bodies()).toEqual(['2']);
  });

  test('shows a message that was released again, at once or after a while', async () => {
    for (const body of ['soon', 'later']) await queue.send('reports', body);
    const [soon, later] = await queue.receive('reports', 2, 60_000);
    await queue.release('reports', [soon!.id], 0);
    await queue.release('reports', [later!.id], 500);
    expect(await queue.receive('reports', 10, 60_000)).toMatchObject([{ body: 'soon', receives: 2 }]);
    pass(500);
    expect(await bodies()).toEqual(['later']);
  });

  test('keeps a delayed message invisible for as long as it was told', async () => {
    await queue.send('sweeps', 'again', { delayMs: 5_000 });
    pass(4_999);
    expect(await queue.receive('sweeps', 1, 1_000)).toEqual([]);
    pass(1);
    expect(await queue.receive('sweeps', 1, 1_000)).toMatchObject([{ body: 'again', sentAt: noon, receives: 1 }]);
  });

  test('tells how many messages it has, hidden and delayed ones included, and how old the oldest is', async () => {
    expect(await queue.depth('reports')).toStrictEqual({ messages: 0 });
    await queue.send('reports', 'first');
    pass(10);
    await queue.send('reports', 'second', { delayMs: 1_000 });
    const [first] = await queue.receive('reports', 1, 1_000);
    expect(await queue.depth('reports')).toStrictEqual({ messages: 2, oldestSentAt: noon });
    await queue.acknowledge('reports', [first!.id]);
    expect(await queue.depth('reports')).toStrictEqual({ messages: 1, oldestSentAt: plusMs(noon, 10) });
  });

  test('hands each message to one of those who ask at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => queue.send('reports', String(n))));
    const answers = await Promise.all(Array.from({ length: 30 }, () => bodies(1)));
    expect(answers.flat().sort()).toEqual(Array.from({ length: 20 }, (_, n) => String(n)).sort());
  });

  test('tells who watches of what can be received now, until told not to', async () => {
    const told: QueueName[] = [];
    const unwatch = queue.watch((name) => told.push(name));
    await queue.send('reports', 'a');
    await queue.send('sweeps', 'later', { delayMs: 1 });
    await queue.sendFromBus('heartbeats', 'b');
    const [received] = await queue.receive('reports', 1, 1_000);
    await queue.release('reports', [received!.id], 0);
    unwatch();
    await queue.send('reports', 'c');
    expect(told).toEqual(['reports', 'heartbeats', 'reports']);
  });

  test('refuses what SQS would: an empty or oversize message, a delay of more than fifteen minutes', async () => {
    const refused = { code: 'queue.refused', retry: 'never' };
    await expect(queue.send('reports', '')).rejects.toMatchObject(refused);
    await expect(queue.send('reports', 'é'.repeat(128 * 1024 + 1))).rejects.toMatchObject(refused);
    await expect(queue.send('reports', 'late', { delayMs: 15 * minuteMs + 1 })).rejects.toMatchObject(refused);
    expect(await queue.depth('reports')).toStrictEqual({ messages: 0 });
  });
});
