import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryQueue } from '../../../../lib/ports/queue/memory.ts';
import type { Message } from '../../../../lib/ports/queue/queue.ts';
import type { QueueFunction } from '../../../../lib/runtime/function.ts';
import { consume } from '../../../../programs/local/consume.ts';
import { type Loop, loop } from '../../../../programs/local/loop.ts';
import { every } from '../../../../programs/local/schedule.ts';
import { aShell, type TestShell } from '../../../../tools/support/a-shell.ts';

let shell: TestShell;
let running: Loop | undefined;
beforeEach(() => {
  shell = aShell();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  vi.useRealTimers();
});
/** Lets everything happen that waits for nothing but its turn. */
const turns = async (): Promise<void> => {
  for (let n = 0; n < 50; n++) await Promise.resolve();
};
/** Work that goes on only when a test says so. */
function gate() {
  const waiting: ((more: boolean) => void)[] = [];
  return {
    begun: () => waiting.length,
    work: () => new Promise<boolean>((resolve) => void waiting.push(resolve)),
    finish: async (n: number, more = false) => {
      waiting[n]!(more);
      await turns();
    },
  };
}

describe('a loop', () => {
  it('begins at once and goes on while there was something', async () => {
    let left = 3;
    running = loop(async () => left-- > 0, shell);
    await turns();
    expect(left).toBe(-1);
  });

  it('looks once a second when nobody wakes it', async () => {
    let looks = 0;
    running = loop(async () => {
      looks += 1;
      return false;
    }, shell);
    await turns();
    vi.advanceTimersByTime(999);
    await turns();
    expect(looks).toBe(1);
    vi.advanceTimersByTime(1);
    await turns();
    expect(looks).toBe(2);
  });

  it('is never at work twice at a time, and looks again when it was woken meanwhile', async () => {
    const { begun, work, finish } = gate();
    running = loop(work, shell);
    running.wake();
    running.wake();
    await turns();
    expect(begun()).toBe(1);
    await finish(0);
    expect(begun()).toBe(2);
    await finish(1);
    expect(begun()).toBe(2);
  });

  it('logs what its work throws, and tries again at the next look, not before', async () => {
    let looks = 0;
    running = loop(async () => {
      looks += 1;
      throw new Error('the disk is full');
    }, shell);
    await turns();
    expect(looks).toBe(1);
    expect(shell.logged).toMatchObject([{ level: 'error', fields: { detail: expect.stringContaining('the disk is full') } }]);
    vi.advanceTimersByTime(1_000);
    await turns();
    expect(looks).toBe(2);
  });

  it('has ended when it was stopped: what was under way is seen through, nothing begins', async () => {
    const { begun, work, finish } = gate();
    const stopping = loop(work, shell);
    let hasStopped = false;
    void stopping.stop().then(() => {
      hasStopped = true;
    });
    await turns();
    expect(hasStopped).toBe(false);
    await finish(0, true);
    expect(hasStopped).toBe(true);
    stopping.wake();
    vi.advanceTimersByTime(5_000);
    expect(begun()).toBe(1);
  });

  it('has nothing left to do when it was finished, and looks once more although it was idle', async () => {
    let left = 0;
    const finishing = loop(async () => left-- > 0, shell);
    await turns();
    left = 3;
    await finishing.finish(60_000);
    expect(left).toBe(-1);
    finishing.wake();
    await turns();
    expect(left).toBe(-1);
  });

  it('is finished with what is under way when its time is over', async () => {
    const { begun, work, finish } = gate();
    const finishing = loop(work, shell);
    const finished = finishing.finish(0);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await finish(0, true);
    await finished;
    expect(begun()).toBe(1);
  });

  it('is finished when its work throws', async () => {
    let looks = 0;
    const finishing = loop(async () => {
      looks += 1;
      throw new Error('the bus does not answer');
    }, shell);
    await turns();
    await finishing.finish(60_000);
    expect(looks).toBe(2);
  });
});

describe('a schedule', () => {
  it('runs at once and then every period, but never twice at a time', async () => {
    const { begun, work, finish } = gate();
    running = every(5_000, async () => void (await work()), shell);
    expect(begun()).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(begun()).toBe(1);
    await finish(0);
    vi.advanceTimersByTime(5_000);
    expect(begun()).toBe(2);
    await finish(1);
  });

  it('goes on after a run that failed, which it logs', async () => {
    let runs = 0;
    running = every(
      5_000,
      async () => {
        runs += 1;
        throw new Error('a row was busy');
      },
      shell,
    );
    await turns();
    vi.advanceTimersByTime(5_000);
    await turns();
    expect(runs).toBe(2);
    expect(shell.logged).toHaveLength(2);
  });
});

describe('a consumer of a queue', () => {
  const wired = { carries: [], retentionSeconds: 60, receivesMax: 4, batchMax: 10 };
  /** Starts a consumer that fails the messages so named, and gives what it was handed. */
  const consuming = (fails: (message: Message) => boolean) => {
    const queue = memoryQueue(shell.now);
    const handed: string[][] = [];
    const receivesMax: number[] = [];
    const fn: QueueFunction = {
      on: 'queue',
      handle: async (messages, { settings }) => {
        handed.push(messages.map(({ body, receives }) => `${body} ${receives}`));
        receivesMax.push(settings.receivesMax);
        return messages.filter(fails).map(({ id }) => id);
      },
    };
    running = consume('reports', wired, 20, fn, shell, queue);
    return { queue, handed, receivesMax };
  };

  it('is told of a message at once, counts receives as the queue is wired, and is done with what did not fail', async () => {
    const { queue, handed, receivesMax } = consuming(() => false);
    await turns();
    await queue.send('reports', 'a');
    await queue.send('heartbeats', 'not mine');
    await turns();
    expect([handed, receivesMax]).toEqual([[['a 1']], [4]]);
    expect(await queue.depth('reports')).toEqual({ messages: 0 });
    expect((await queue.depth('heartbeats')).messages).toBe(1);
  });

  it('gets alone what failed, later each time', async () => {
    const { queue, handed } = consuming(({ body }) => body === 'bad');
    await queue.send('reports', 'bad');
    await queue.send('reports', 'good');
    await turns();
    for (const waitMs of [500, 1_000, 2_000]) {
      const before = handed.length;
      shell.step(waitMs - 1);
      running!.wake();
      await turns();
      expect(handed).toHaveLength(before);
      shell.step(1);
      running!.wake();
      await turns();
    }
    expect(handed.flat()).toEqual(['bad 1', 'good 1', 'bad 2', 'bad 3', 'bad 4']);
  });
});
