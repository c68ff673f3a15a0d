import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Later } from '../../../lib/core/errors.ts';
import { plusMs } from '../../../lib/core/time.ts';
import { putAside, readDeadLetter } from '../../../lib/runtime/dead.ts';
import { onQueue } from '../../../lib/runtime/on-queue.ts';
import { drop, redrive } from '../../../lib/runtime/redrive.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { aShell, committing, losingAnswers, outrun, type TestShell } from '../../../tools/support/a-shell.ts';

let shell: TestShell;
let done: string[];
let fails: boolean;
beforeEach(async () => {
  shell = aShell({ receivesMax: 1 }, new Map());
  done = [];
  fails = true;
});

const Report = z.strictObject({ id: z.string() });
const reports = onQueue(
  { endpoint: Report, bus: (raw, { sentAt }) => ({ id: `${Report.parse(raw).id} sent ${sentAt}` }) },
  async ({ id }) => {
    if (fails) throw new Later('row.busy', 'node n1 kept moving');
    done.push(id);
  },
  'reports',
);
/** Hands over what is in the queue. */
const deliver = async () => {
  const messages = await shell.queue.receive('reports', 10, 60_000);
  await reports.handle(messages, shell);
  await shell.queue.acknowledge(
    'reports',
    messages.map(({ id }) => id),
  );
  return messages;
};
/** A report that died in its queue; its letter's id. */
const aDeadReport = async (via: 'door' | 'bus' = 'door'): Promise<string> => {
  const body = '{"id":"up-1"}';
  await (via === 'door' ? shell.queue.send('reports', body) : shell.queue.sendFromBus('reports', body));
  const [message] = await deliver();
  return message!.id;
};
const givenBack = (id: string, by: Shell = shell, more: { by?: string; again?: boolean } = {}) =>
  redrive(by, id, { by: 'call-1', again: false, ...more });
const waiting = async (): Promise<number> => (await shell.queue.depth('reports')).messages;
const codes = () => shell.logged.map(({ code }) => code);

describe('a letter that is given back', () => {
  it('is worked on, stays as given back with when and by which call, and is not given back twice', async () => {
    const id = await aDeadReport();
    fails = false;
    shell.step(60_000);
    expect(await givenBack(id)).toEqual({ done: true, because: 'given back to the queue reports, attempt 1' });
    await deliver();

    expect(done).toEqual(['up-1']);
    expect(await readDeadLetter(shell, id)).toMatchObject({
      status: 'redriven',
      deaths: 1,
      redriven: { attempt: 1, at: plusMs(noon, 60_000), by: 'call-1' },
    });
    expect(await givenBack(id, shell, { by: 'call-2' })).toMatchObject({ done: true, because: expect.stringContaining('already') });
    expect(await waiting()).toBe(0);
    expect(codes().filter((code) => code === 'dead.redriven')).toHaveLength(1);
  });

  it('that came by the bus comes by the bus again, and counts from when it was first sent', async () => {
    const id = await aDeadReport('bus');
    fails = false;
    shell.step(60_000);
    await givenBack(id);
    await deliver();
    expect(done).toEqual([`up-1 sent ${noon}`]);
  });

  it('and dies again is dead again, in the same row, and can be given back again', async () => {
    const id = await aDeadReport();
    await givenBack(id);
    await deliver();
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead', deaths: 2, redriven: { attempt: 1 } });

    fails = false;
    expect(await givenBack(id)).toEqual({ done: true, because: 'given back to the queue reports, attempt 2' });
    await deliver();
    expect(done).toEqual(['up-1']);
    expect([...shell.table.rows.values()]).toHaveLength(1);
  });

  it('can be given back once more though it has not died, when the queue lost it', async () => {
    const id = await aDeadReport();
    await givenBack(id);
    expect(await givenBack(id, shell, { again: true })).toEqual({ done: true, because: 'given back to the queue reports, attempt 2' });
    expect(await waiting()).toBe(2);
  });

  it('is not marked when the queue does not take it', async () => {
    const id = await aDeadReport();
    const stormy = async () => {
      throw new Later('service.busy', 'send: throttled');
    };
    await expect(givenBack(id, { ...shell, queue: { ...shell.queue, send: stormy } })).rejects.toThrow('send: throttled');
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead' });
  });

  it('that nobody knows says so, and sends nothing', async () => {
    expect(await givenBack('m77')).toEqual({ done: false, because: 'no dead letter has this id, or it has expired' });
    expect(await waiting()).toBe(0);
  });
});

describe('a call that ends between the sending and the mark', () => {
  it('leaves the letter dead and the message in the queue; the next call sends it once more, and both are one attempt', async () => {
    const id = await aDeadReport();
    const dying = committing(shell, async () => {
      throw new Later('service.busy', 'the environment ended');
    });
    await expect(givenBack(id, dying)).rejects.toThrow('ended');
    expect([(await readDeadLetter(shell, id))!.status, await waiting()]).toEqual(['dead', 1]);

    expect(await givenBack(id)).toMatchObject({ done: true });
    expect(await waiting()).toBe(2);
    await deliver();
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead', deaths: 2, died: 1 });
  });

  it('whose mark was stored but not answered finds its own', async () => {
    const id = await aDeadReport();
    expect(await givenBack(id, losingAnswers(shell))).toEqual({ done: true, because: 'given back to the queue reports, attempt 1' });
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'redriven' });
    expect(await waiting()).toBe(1);
  });
});

describe('while a letter is given back', () => {
  it('it may die again: it stays dead, and the call says so', async () => {
    const id = await aDeadReport();
    const outcome = await givenBack(id, outrun(shell, deliver));
    expect(outcome).toEqual({ done: true, because: 'given back, and died again at once: node n1 kept moving' });
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead', deaths: 2 });
  });

  it('another operator may do so too: it is twice in the queue, and one attempt', async () => {
    const id = await aDeadReport();
    const outcome = await givenBack(
      id,
      outrun(shell, () => givenBack(id, shell, { by: 'call-2' })),
    );
    expect(outcome).toEqual({ done: true, because: 'given back, as another call did too (call-2)' });
    await deliver();
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead', deaths: 2, redriven: { by: 'call-2' } });
  });

  it('another operator may drop it: it stays dropped, and comes back if it dies', async () => {
    const id = await aDeadReport();
    const outcome = await givenBack(
      id,
      outrun(shell, () => drop(shell, id, 'call-2')),
    );
    expect(outcome).toEqual({ done: true, because: 'given back, while another call dropped it' });
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dropped' });
    await deliver();
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dead', deaths: 2, message: '{"id":"up-1"}' });
  });
});

describe('a message handed over once more', () => {
  it('after its letter was given back, or dropped, changes nothing', async () => {
    const id = await aDeadReport();
    const repeat = { id, body: '{"id":"up-1"}', via: 'door', sentAt: noon, receives: 2 } as const;
    await givenBack(id);
    await reports.handle([repeat], shell);
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'redriven', deaths: 1 });
    await drop(shell, id, 'call-2');
    await reports.handle([repeat], shell);
    expect(await readDeadLetter(shell, id)).toMatchObject({ status: 'dropped' });
  });
});

describe('a letter that is dropped', () => {
  it('is gone from every list, and dropping it again is done already', async () => {
    const id = await aDeadReport();
    expect(await drop(shell, id, 'call-1')).toEqual({ done: true, because: 'an operator dropped it' });
    expect([...shell.table.rows.values()][0]).not.toHaveProperty('list');
    expect(await drop(shell, id, 'call-2')).toEqual({ done: true, because: 'dropped already' });
    expect(await givenBack(id)).toEqual({ done: false, because: 'an operator dropped it' });
    expect(codes().filter((code) => code === 'dead.dropped')).toHaveLength(1);
  });

  it('was never there, says the answer for an id that nobody knows', async () => {
    expect(await drop(shell, 'm77', 'call-1')).toEqual({ done: false, because: 'no dead letter has this id, or it has expired' });
    expect(shell.table.rows.size).toBe(0);
  });
});

describe('a letter whose time is over', () => {
  it('begins anew when its last attempt dies after all', async () => {
    const message = { id: 'm1', queue: 'reports', via: 'door', body: '{}', sentAt: noon, receives: 1 } as const;
    await putAside(shell, message, 'row.busy', 'kept moving');
    shell.step(15 * 86_400_000);
    expect(await readDeadLetter(shell, 'm1')).toBeUndefined();
    await putAside(shell, { ...message, id: 'm2', letter: { id: 'm1', attempt: 3 } }, 'row.busy', 'kept moving');
    expect(await readDeadLetter(shell, 'm1')).toMatchObject({ status: 'dead', deaths: 1, died: 3 });
  });
});
