import { beforeEach, describe, expect, it } from 'vitest';
import { Later } from '../../../lib/core/errors.ts';
import { deadLetterLists } from '../../../lib/ports/table/keys.ts';
import { redrive } from '../../../lib/runtime/redrive.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { idsOf, lettersIn, type Ordered, refusal } from './letters.ts';

let world: World;
beforeEach(async () => {
  world = await stepped();
});
const { aside, listed, order } = lettersIn(() => world);
const waiting = async () => (await world.queue.depth('reports')).messages;

describe('an order to dead letters', () => {
  it('gives back those that are named, each with its result, and only once', async () => {
    const ids = await aside(3);
    const { results } = await order('redrive', { ids: [ids[0], ids[1], ids[0], 'm77'] });
    expect(results).toEqual([
      { id: ids[0], done: true, because: 'given back to the queue reports, attempt 1' },
      { id: ids[1], done: true, because: 'given back to the queue reports, attempt 1' },
      { id: 'm77', done: false, because: 'no dead letter has this id, or it has expired' },
    ]);
    expect(await waiting()).toBe(2);
  });

  it('shows when it was given back, and by which call; given back in vain it is dead again with one death more', async () => {
    const [id] = await aside(1);
    await order('redrive', { ids: [id] });
    const given = (await listed()).items[0]!;
    expect(given).toMatchObject({ status: 'redriven', deaths: 1, redriven: { at: new Date(noon).toISOString(), attempt: 1 } });
    expect(given.redriven!.by).toMatch(/^id-/);

    await world.step(0);
    expect((await listed()).items[0]).toMatchObject({
      id,
      status: 'dead',
      deaths: 2,
      redriven: { attempt: 1 },
      first: { reason: 'wrong-shape, says a test' },
      last: { code: 'unknown-type' },
    });
  });

  it('about a code reaches each letter of it once, 100 a call, also those that die again meanwhile', async () => {
    const ids = await aside(150);
    await aside(3, {}, 'row.busy');
    const seen: string[] = [];
    let calls = 0;
    for (let next: string | undefined, first = true; first || next; first = false) {
      const page: Ordered = await order('redrive', { code: 'wrong-shape', ...(next && { cursor: next }) });
      seen.push(...page.results.map(({ id }) => id));
      next = page.next;
      calls += 1;
      if (calls === 1) await world.step(0);
    }
    expect(seen.sort()).toEqual(ids);
    expect(calls).toBeLessThan(5);
  });

  it('about a code reaches each once also when those given back before are wanted again', async () => {
    const ids = await aside(150);
    await order('redrive', { ids: ids.slice(0, 20) });
    world.sleep(1_000);
    const seen: string[] = [];
    for (let next: string | undefined, first = true; first || next; first = false) {
      const page: Ordered = await order('redrive', { code: 'wrong-shape', again: true, ...(next && { cursor: next }) });
      seen.push(...page.results.map(({ id }) => id));
      next = page.next;
    }
    expect(seen.sort()).toEqual(ids);
    expect(await waiting()).toBe(20 + ids.length);
  });

  it('about a code has one result for a letter that somebody else gives back while the lists are read', async () => {
    const [id] = await aside(1);
    const { table } = world.environment('admin');
    const { queryIndex } = table;
    table.queryIndex = async (query) => {
      if (query.pk === deadLetterLists.redriven[0]) await redrive(world.environment('admin'), id!, { by: 'call-2', again: false });
      return queryIndex(query);
    };
    const { results } = await order('redrive', { code: 'wrong-shape', again: true });
    expect(results).toEqual([{ id, done: true, because: 'given back to the queue reports, attempt 2' }]);
    expect(await waiting()).toBe(2);
  });

  it('about a code may be for one queue alone', async () => {
    await aside(2);
    const { results } = await order('drop', { code: 'wrong-shape', queue: 'heartbeats' });
    expect(results).toEqual([]);
    expect((await order('drop', { code: 'wrong-shape', queue: 'reports' })).results).toHaveLength(2);
    expect((await listed()).items).toEqual([]);
  });

  it('about a code passes over what was given back, unless it is wanted again', async () => {
    await aside(1);
    await order('redrive', { code: 'wrong-shape' });
    expect((await order('redrive', { code: 'wrong-shape' })).results).toEqual([]);
    expect((await order('redrive', { code: 'wrong-shape', again: true })).results).toMatchObject([
      { because: expect.stringContaining('attempt 2') },
    ]);
  });

  it('that names them and a code, or nothing, is refused', async () => {
    for (const body of [{}, { ids: ['m1'], code: 'wrong-shape' }, { ids: [] }, { queue: 'reports' }, { ids: ['m1'], cursor: 'x' }])
      for (const verb of ['redrive', 'drop']) expect(await world.call('POST', `/api/v1/dead-letters/${verb}`, body)).toMatchObject(refusal);
    expect((await world.call('POST', '/api/v1/dead-letters/drop', { ids: ['m1'], force: true })).body).toMatchObject({
      type: 'urn:muster:problem:unknown-field',
      errors: [{ pointer: '/force' }],
    });
  });

  it('names at most 100', async () => {
    const ids = Array.from({ length: 101 }, (_, n) => `m${n}`);
    expect(await world.call('POST', '/api/v1/dead-letters/redrive', { ids })).toMatchObject(refusal);
  });

  it('with an Idempotency-Key is carried out once', async () => {
    const [id] = await aside(1);
    const key = { 'idempotency-key': 'ticket-7' };
    const first = await order('redrive', { ids: [id], again: true }, key);
    expect(await order('redrive', { ids: [id], again: true }, key)).toEqual(first);
    expect(await waiting()).toBe(1);
  });

  it('says of the one that is busy that it is, and carries the others out', async () => {
    const ids = await aside(2);
    const { send } = world.queue;
    world.environment('admin').queue.send = async (queue, body, options) => {
      if (options?.letter?.id === ids[0]) throw new Later('service.busy', 'send: throttled');
      await send(queue, body, options);
    };
    const { status, results } = await order('redrive', { ids });
    expect([status, results.map(({ done, because }) => [done, because])]).toEqual([
      200,
      [
        [false, 'busy, try again'],
        [true, 'given back to the queue reports, attempt 1'],
      ],
    ]);
    expect(results[0]).toHaveProperty('busy', true);
    expect(idsOf(await listed('status=dead'))).toEqual([ids[0]]);
  });

  it('says of the one that nobody foresaw where to look, and carries the others out', async () => {
    const [broken] = await aside(1, { queue: 'feed', via: 'feed', body: '{}' });
    const [whole] = await aside(1, {}, 'zz.whole');
    const { status, results } = await order('redrive', { ids: [broken, whole] });
    expect([status, results]).toEqual([
      200,
      [
        { id: broken, done: false, because: expect.stringMatching(/^something unexpected happened; the log has more under id-/) },
        { id: whole, done: true, because: 'given back to the queue reports, attempt 1' },
      ],
    ]);
    expect(world.logged.at(-2)).toMatchObject({ level: 'error', code: 'door.failed', fields: { letter: broken } });
  });
});
