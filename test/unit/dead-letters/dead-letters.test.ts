import { beforeEach, describe, expect, it } from 'vitest';
import { pathOf } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { dayMs, plusMs } from '../../../lib/core/time.ts';
import type { DeadLetterWhole } from '../../../lib/dead-letters/routes.ts';
import { putAside } from '../../../lib/runtime/dead.ts';
import type { QueueFunction } from '../../../lib/runtime/function.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { functions as before } from '../../previous/functions.mjs';
import { idsOf, lettersIn, type Page, refusal } from './letters.ts';

let world: World;
beforeEach(async () => {
  world = await stepped();
});
const { aside, listed, order } = lettersIn(() => world);
/** All pages of a list. */
const everyPage = async (query: string): Promise<Page[]> => {
  const pages = [await listed(query)];
  for (let next = pages[0]!.next; next; next = pages.at(-1)!.next) pages.push(await listed(`${query}&cursor=${next}`));
  return pages;
};
const show = (id: string) => world.call('GET', pathOf(contract.getDeadLetter, { id }));

describe('the list of dead letters', () => {
  it('has each with its errors and counts, and without its message', async () => {
    const [id] = await aside(1, { via: 'bus', receives: 4 });
    const failure = { code: 'wrong-shape', reason: 'wrong-shape, says a test', at: new Date(noon).toISOString() };
    expect((await listed()).items).toStrictEqual([
      {
        id,
        status: 'dead',
        queue: 'reports',
        via: 'bus',
        sentAt: failure.at,
        deaths: 1,
        receives: 4,
        first: failure,
        last: failure,
        bytes: 20,
        cut: false,
        expiresAt: new Date(plusMs(noon, 14 * dayMs)).toISOString(),
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

describe('the status of a deployment', () => {
  it('counts the dead, and not those that were given back', async () => {
    const ids = await aside(3);
    await order('redrive', { ids: [ids[0]] });
    const { body } = await world.call('GET', '/api/v1/status');
    expect((body as { deadLetters: number }).deadLetters).toBe(2);
  });
});
