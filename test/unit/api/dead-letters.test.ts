import { beforeEach, describe, expect, it } from 'vitest';
import { pathOf } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/api/contract.ts';
import type { DeadLetterView, DeadLetterWhole } from '../../../lib/api/views.ts';
import { Later } from '../../../lib/errors.ts';
import { putAside, type Undeliverable } from '../../../lib/runtime/dead.ts';
import type { QueueFunction } from '../../../lib/runtime/function.ts';
import { dayMs, plusMs } from '../../../lib/units.ts';
import { functions as before } from '../../previous/functions.mjs';
import { noon } from '../../support/a-row.ts';
import { stepped, type World } from '../../support/stepped.ts';

let world: World;
beforeEach(async () => {
  world = await stepped();
});

/** Letters that died as if a consumer had put them aside. */
const aside = async (count: number, more: Partial<Undeliverable> = {}, code = 'wrong-shape'): Promise<string[]> => {
  const ids = Array.from({ length: count }, (_, n) => `${code}-${String(n).padStart(3, '0')}`);
  for (const id of ids) {
    const message = { id, queue: 'reports', via: 'door', body: '{"type":"node.sang"}', sentAt: world.now(), receives: 1, ...more } as const;
    await putAside(world.environment('reports'), message, code, `${code}, says a test`);
  }
  return ids;
};
type Page = { items: DeadLetterView[]; next?: string };
const listed = async (query = ''): Promise<Page> => (await world.call('GET', `/api/v1/dead-letters?${query}`)).body as Page;
const idsOf = ({ items }: Page) => items.map(({ id }) => id).sort();
/** All pages of a list. */
const everyPage = async (query: string): Promise<Page[]> => {
  const pages = [await listed(query)];
  for (let next = pages[0]!.next; next; next = pages.at(-1)!.next) pages.push(await listed(`${query}&cursor=${next}`));
  return pages;
};
type Ordered = { results: { id: string; done: boolean; because: string }[]; next?: string };
const order = async (verb: 'redrive' | 'drop', body: object, headers?: Record<string, string>) => {
  const reply = await world.call('POST', `/api/v1/dead-letters/${verb}`, body, headers);
  return { status: reply.status, ...(reply.body as Ordered) };
};
const show = (id: string) => world.call('GET', pathOf(contract.getDeadLetter, { id }));
const waiting = async () => (await world.queue.depth('reports')).messages;
const refusal = { headers: expect.anything(), status: 422, body: expect.objectContaining({ type: 'urn:muster:problem:invalid' }) };

describe('the list of dead letters', () => {
  it('has each with its errors and counts, and without its message', async () => {
    const [id] = await aside(1, { via: 'bus', receives: 4 });
    const failure = { code: 'wrong-shape', reason: 'wrong-shape, says a test', at: new Date(noon).toISOString() };
    expect((await listed()).items).toStrictEqual([
      {
        ...{ id, status: 'dead', queue: 'reports', via: 'bus', sentAt: failure.at, deaths: 1, receives: 4 },
        ...{ first: failure, last: failure, bytes: 20, cut: false, expiresAt: new Date(plusMs(noon, 14 * dayMs)).toISOString() },
      },
    ]);
  });

  it('has pages that meet each once, over all its partitions', async () => {
    const ids = await aside(230);
    const pages = await everyPage('limit=50');
    expect(pages.flatMap(idsOf).sort()).toEqual(ids);
    expect(pages.every(({ items }) => items.length <= 50)).toBe(true);
  });

  it('is had by code, by queue and by what became of them', async () => {
    const shapes = await aside(3);
    const busy = await aside(2, { queue: 'heartbeats' }, 'row.busy');
    await order('redrive', { ids: [shapes[0]] });

    expect(idsOf(await listed('code=row.busy'))).toEqual(busy);
    expect(idsOf(await listed('queue=heartbeats'))).toEqual(busy);
    expect(idsOf(await listed('status=redriven'))).toEqual([shapes[0]]);
    expect(idsOf(await listed('status=dead&queue=reports'))).toEqual(shapes.slice(1));
    expect((await listed()).items).toHaveLength(5);
  });

  it('goes on in short pages past those that a filter leaves out', async () => {
    await aside(150);
    const [rare] = await aside(1, {}, 'zz.rare');
    const pages = await everyPage('code=zz.rare');
    expect([pages.length > 1, pages.flatMap(idsOf)]).toEqual([true, [rare]]);
  });

  it('has none that was dropped or has expired', async () => {
    const ids = await aside(3);
    await order('drop', { ids: [ids[0]] });
    expect(idsOf(await listed())).toEqual(ids.slice(1));
    world.sleep(14 * dayMs);
    expect((await listed()).items).toEqual([]);
  });

  it('has what a consumer of the version before put aside, and gives it back', async () => {
    const message = { id: 'm1', body: '{"type":"node.sang"}', via: 'door', sentAt: world.now(), receives: 1 } as const;
    await (before['reports'] as QueueFunction).handle([message], world.environment('reports'));
    expect((await listed()).items).toMatchObject([{ id: 'm1', status: 'dead', queue: 'reports', via: 'door', deaths: 1, bytes: 20 }]);

    await order('redrive', { ids: ['m1'] });
    await world.step(0);
    expect((await listed()).items).toMatchObject([{ id: 'm1', status: 'dead', deaths: 2, last: { code: 'unknown-type' } }]);
  });

  it('takes no cursor of another query', async () => {
    await aside(5);
    const { next } = await listed('limit=2');
    expect((await world.call('GET', `/api/v1/dead-letters?limit=2&code=x&cursor=${next}`)).status).toBe(400);
    expect((await world.call('POST', '/api/v1/dead-letters/drop', { code: 'wrong-shape', cursor: next })).status).toBe(400);
  });
});

describe('one dead letter', () => {
  it('has its message, whatever signs its id has', async () => {
    const id = 'client#a=2Fb#client@17';
    await putAside(
      world.environment('publish'),
      { id, queue: 'feed', via: 'feed', body: '{"events":[]}', sentAt: world.now(), receives: 1 },
      'bus.too-large',
      'too large',
    );
    expect(pathOf(contract.getDeadLetter, { id })).toBe('/api/v1/dead-letters/client%23a%3D2Fb%23client%4017');
    // HTTP APIs of API Gateway hand a path on decoded, the embedded host as it was sent.
    for (const { status, body } of [await show(id), await world.call('GET', `/api/v1/dead-letters/${id}`)])
      expect([status, (body as DeadLetterWhole).id, (body as DeadLetterWhole).message]).toEqual([200, id, '{"events":[]}']);
  });

  it('that was dropped, or never was, is not found, and says which', async () => {
    const [id] = await aside(1);
    await order('drop', { ids: [id] });
    const body = (detail: string) => expect.objectContaining({ type: 'urn:muster:problem:unknown-dead-letter', detail });
    expect(await show(id!)).toMatchObject({ status: 404, body: body(`${id} was dropped at ${new Date(noon).toISOString()}`) });
    expect(await show('m77')).toMatchObject({ status: 404, body: body('no dead letter has the id m77, or it has expired') });
  });

  it.each(['.', '..', 'a b', 'a%2Fb', 'é', 'x'.repeat(301), 'a\u0000b', 'a?b'])('is not asked for as %j, which is no id', async (id) => {
    expect(await show(id)).toMatchObject(refusal);
  });
});

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
      ...{ id, status: 'dead', deaths: 2, redriven: { attempt: 1 } },
      ...{ first: { reason: 'wrong-shape, says a test' }, last: { code: 'unknown-type' } },
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

describe('the status of a deployment', () => {
  it('counts the dead, and not those that were given back', async () => {
    const ids = await aside(3);
    await order('redrive', { ids: [ids[0]] });
    const { body } = await world.call('GET', '/api/v1/status');
    expect((body as { deadLetters: number }).deadLetters).toBe(2);
  });
});
