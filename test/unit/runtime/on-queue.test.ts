import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Later, Poison } from '../../../lib/core/errors.ts';
import { dayMs, plusMs } from '../../../lib/core/time.ts';
import type { Message } from '../../../lib/ports/queue/queue.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { DeadLetter } from '../../../lib/runtime/dead-letter.ts';
import { onQueue, poisonOf, type ReportSchemas } from '../../../lib/runtime/on-queue.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { aShell, committing, type TestShell } from '../../../tools/support/a-shell.ts';

const Report = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('up'), id: z.string(), data: z.strictObject({ n: z.int() }) }),
  z.strictObject({ type: z.literal('down'), id: z.string() }),
]);
type Report = z.infer<typeof Report>;
const schemas: ReportSchemas<Report> = {
  endpoint: Report,
  bus: (raw, message) => {
    const read = Report.options[1].safeParse(raw);
    if (!read.success) throw poisonOf(read.error, raw);
    return { ...read.data, id: `${read.data.id} sent ${message.sentAt}` };
  },
};

let shell: TestShell;
let done: string[];
let failWith: unknown;
beforeEach(() => {
  shell = aShell({ receivesMax: 3 }, new Map());
  done = [];
  failWith = undefined;
});

const work = async (report: Report) => {
  if (failWith !== undefined && report.id.startsWith('bad')) throw failWith;
  done.push(report.id);
};
const aMessage = (body: unknown, more: Partial<Message> = {}): Message => ({
  id: 'm1',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  via: 'door',
  sentAt: plusMs(noon, -1_000),
  receives: 1,
  ...more,
});
const consume = (messages: readonly Message[], by: Shell = shell) => onQueue(schemas, work, 'reports').handle(messages, by);
const deadRows = (): Row[] => [...shell.table.rows.values()];
const reasonOf = async (message: Message) => {
  expect(await consume([message])).toEqual([]);
  const { code, reason } = (deadRows()[0]!.body as DeadLetter).last;
  return [code, reason];
};

describe('a message that is a report', () => {
  it('is worked on and acknowledged', async () => {
    expect(await consume([aMessage({ type: 'down', id: 'd1' }), aMessage({ type: 'up', id: 'u1', data: { n: 1 } }, { id: 'm2' })])).toEqual(
      [],
    );
    expect(done).toEqual(['d1', 'u1']);
    expect(deadRows()).toEqual([]);
  });

  it('from the bus is read by the rules of the bus, and counts from when it was sent', async () => {
    expect(await consume([aMessage({ type: 'down', id: 'd1' }, { via: 'bus' })])).toEqual([]);
    expect(done).toEqual([`d1 sent ${plusMs(noon, -1_000)}`]);
  });
});

describe('messages about the same', () => {
  /** By the number behind the name of a report: a report of no name is alone. */
  const laneOf = (raw: unknown) => {
    const [, about, place] = /^(\w+)-(\d+)$/.exec(String((raw as { id?: unknown } | undefined)?.id)) ?? [];
    return about === undefined ? undefined : { about, place: Number(place) };
  };
  const slowly = async (report: Report) => {
    // Whoever is worked on at the same time would be done first.
    for (let turns = report.id.endsWith('1') ? 20 : 1; turns > 0; turns--) await Promise.resolve();
    await work(report);
  };
  const inLanes = (ids: readonly string[]) =>
    onQueue({ ...schemas, laneOf }, slowly, 'reports').handle(
      ids.map((id) => aMessage({ type: 'down', id }, { id })),
      shell,
    );

  it('are worked on one after another, in their order, whatever the order they came in; others do not wait', async () => {
    expect(await inLanes(['a-2', 'a-1', 'b-1', 'alone', 'a-3'])).toEqual([]);
    expect(done.filter((id) => id.startsWith('a-'))).toEqual(['a-1', 'a-2', 'a-3']);
    expect(done[0]).toBe('alone');
    expect(done).toContain('b-1');
  });

  it('come again together when one of them must', async () => {
    failWith = new Later('weather', 'not now');
    expect(await inLanes(['bad-1', 'bad-2', 'good-1'])).toEqual(['bad-1', 'bad-2']);
    expect(done).toEqual(['good-1']);
  });

  it('that are no JSON are put aside like any', async () => {
    expect(await onQueue({ ...schemas, laneOf }, work, 'reports').handle([aMessage('{')], shell)).toEqual([]);
    expect(deadRows()).toHaveLength(1);
  });
});

describe('a message that can never succeed', () => {
  it('becomes a dead row with the message, its reason and its times, and is acknowledged', async () => {
    const message = aMessage('{"type":"up"', { receives: 2 });
    const failure = { code: 'malformed-json', reason: 'the message is not JSON', at: noon };
    expect(await consume([message])).toEqual([]);

    expect(deadRows()).toEqual([
      {
        key: { pk: 'dead#4', sk: 'dead#m1' },
        list: { pk: 'dead#4', sk: 'm1' },
        rev: 1,
        body: {
          id: 'm1',
          status: 'dead',
          queue: 'reports',
          via: 'door',
          message: '{"type":"up"',
          bytes: 12,
          sentAt: plusMs(noon, -1_000),
          receives: 2,
          deaths: 1,
          died: 0,
          first: failure,
          last: failure,
        },
        at: noon,
        by: 'm1',
        because: 'the message is not JSON',
        events: [],
        eventSeq: 0,
        expiresAt: plusMs(noon, 14 * dayMs),
      },
    ]);
    expect(shell.logged).toEqual([
      {
        level: 'warn',
        code: 'report.dead',
        fields: { id: 'm1', queue: 'reports', reason: 'malformed-json', detail: 'the message is not JSON', deaths: 1 },
      },
    ]);
  });

  it('says which type is unknown, or which field is wrong', async () => {
    expect(await reasonOf(aMessage({ type: 'sideways', id: 's1' }))).toEqual(['unknown-type', 'there is no report of type "sideways"']);
  });
  it.each([
    [{ type: 'up', id: 'u1', data: { n: 'one' } }, /^up: \/data\/n .*number/],
    [{ type: 'up', id: 'u1', data: { n: 1, m: 2 } }, /^up: \/data .*"m"/],
    [{ type: 'up', data: { n: 1 } }, /^up: \/id .*string/],
  ])('says of %j what is wrong with it', async (body, reason) => {
    expect(await reasonOf(aMessage(body))).toEqual(['wrong-shape', expect.stringMatching(reason)]);
  });
  it.each([null, 17, 'text', []])('may be %j', async (body) => {
    expect((await reasonOf(aMessage(JSON.stringify(body))))[0]).toMatch(/^(wrong-shape|unknown-type)$/);
  });

  it('may be refused by the work itself', async () => {
    failWith = new Poison('too-many', 'more than this row can hold');
    expect(await reasonOf(aMessage({ type: 'down', id: 'bad' }))).toEqual(['too-many', 'more than this row can hold']);
  });

  it('from the bus is refused by the rules of the bus, and altogether where there are none', async () => {
    expect((await reasonOf(aMessage({ type: 'up', id: 'u1', data: { n: 1 } }, { via: 'bus' })))[0]).toBe('wrong-shape');
    const noBus = onQueue({ endpoint: Report }, work, 'heartbeats');
    expect(await noBus.handle([aMessage({ type: 'down', id: 'd1' }, { id: 'm2', via: 'bus' })], shell)).toEqual([]);
    expect(deadRows().at(-1)?.body).toMatchObject({ id: 'm2', queue: 'heartbeats', via: 'bus', last: { code: 'not-from-bus' } });
    expect(done).toEqual([]);
  });

  it('makes one row however often it is handed over', async () => {
    await consume([aMessage('nonsense')]);
    shell.step(60_000);
    expect(await consume([aMessage('nonsense', { receives: 2 })])).toEqual([]);
    expect(deadRows()).toHaveLength(1);
    expect(deadRows()[0]).toMatchObject({ rev: 1, at: noon });
  });

  it('is kept whole when a queue takes it, and its beginning when no queue would, so that it can be put aside', async () => {
    const whole = 'x'.repeat(256 * 1024);
    await consume([aMessage(whole), aMessage(`${whole.slice(1)}é`, { id: 'm2' })]);
    const letters = deadRows().map((row) => row.body as DeadLetter);
    expect(letters.map(({ message, bytes, cut }) => [message.length, bytes, cut])).toEqual([
      [256 * 1024, 256 * 1024, undefined],
      [256 * 1024 - 1, 256 * 1024 + 1, true],
    ]);
  });

  it('can be put aside also when its reason would quote all of it', async () => {
    await consume([aMessage({ type: 'x'.repeat(250 * 1024), id: 'x' })]);
    const { code, reason } = (deadRows()[0]!.body as DeadLetter).last;
    expect([code, reason.length, shell.logged[0]!.fields['detail']]).toEqual(['unknown-type', 1_001, reason]);
  });
});

describe('a message that failed transiently', () => {
  it('alone comes again', async () => {
    failWith = new Later('row.busy', 'node n1 kept moving');
    const batch = [aMessage({ type: 'down', id: 'd1' }), aMessage({ type: 'down', id: 'bad' }, { id: 'm2' }), aMessage('no', { id: 'm3' })];
    expect(await consume(batch)).toEqual(['m2']);
    expect(done).toEqual(['d1']);
    expect(deadRows().map((row) => (row.body as DeadLetter).id)).toEqual(['m3']);
    expect(shell.logged).toContainEqual({
      level: 'warn',
      code: 'report.later',
      fields: { id: 'm2', reason: 'row.busy', detail: 'node n1 kept moving', receives: 1 },
    });
  });

  it('comes again also for what nobody expected', async () => {
    failWith = new TypeError('cannot read properties of undefined');
    expect(await consume([aMessage({ type: 'down', id: 'bad' })])).toEqual(['m1']);
    expect(deadRows()).toEqual([]);
  });

  it('becomes a dead row on its last receive', async () => {
    failWith = new Later('row.busy', 'node n1 kept moving');
    expect(await consume([aMessage({ type: 'down', id: 'bad' }, { receives: 2 })])).toEqual(['m1']);
    expect(await consume([aMessage({ type: 'down', id: 'bad' }, { receives: 3 })])).toEqual([]);
    expect(deadRows()[0]?.body).toMatchObject({ last: { code: 'row.busy', reason: 'node n1 kept moving' }, receives: 3 });
  });

  it('also comes again, and alone, when it cannot even be put aside', async () => {
    const stormy = committing(shell, async () => {
      throw new Later('service.busy', 'commit: throttled');
    });
    const batch = [aMessage('nonsense'), aMessage({ type: 'down', id: 'd1' }, { id: 'm2' })];
    expect(await consume(batch, stormy)).toEqual(['m1']);
    expect(done).toEqual(['d1']);
    expect(shell.logged).toContainEqual({
      level: 'warn',
      code: 'report.later',
      fields: { id: 'm1', reason: 'service.busy', detail: 'commit: throttled', receives: 1 },
    });
  });
});

describe('a dead letter that was given back', () => {
  const letter = { id: 'm1', attempt: 1, via: 'bus', sentAt: plusMs(noon, -60_000) } as const;
  const givenBack = (body: unknown, more: Partial<Message> = {}) => aMessage(body, { id: 'm9', letter, ...more });

  it('is read as it came at first, and counts from when it was first sent', async () => {
    expect(await consume([givenBack({ type: 'down', id: 'd1' })])).toEqual([]);
    expect(done).toEqual([`d1 sent ${letter.sentAt}`]);
  });

  it('that dies again counts on in its row', async () => {
    await consume([aMessage('nonsense', { via: 'bus', sentAt: letter.sentAt, receives: 2 })]);
    shell.step(60_000);
    expect(await consume([givenBack('nonsense')])).toEqual([]);

    const failure = { code: 'malformed-json', reason: 'the message is not JSON' };
    expect(deadRows().map((row) => row.body)).toEqual([
      expect.objectContaining({
        id: 'm1',
        status: 'dead',
        queue: 'reports',
        via: 'bus',
        sentAt: letter.sentAt,
        deaths: 2,
        receives: 3,
        first: { ...failure, at: noon },
        last: { ...failure, at: plusMs(noon, 60_000) },
      }),
    ]);
    expect(shell.logged.at(-1)).toMatchObject({ code: 'report.dead', fields: { id: 'm1', deaths: 2 } });
  });

  it('that fails transiently comes again by its own id, and is spoken of by its letter', async () => {
    failWith = new Later('row.busy', 'node n1 kept moving');
    expect(await consume([givenBack({ type: 'down', id: 'bad' }, { letter: { ...letter, via: 'door' } })])).toEqual(['m9']);
    expect(shell.logged.at(-1)).toMatchObject({ code: 'report.later', fields: { id: 'm1', receives: 1 } });
  });
});
