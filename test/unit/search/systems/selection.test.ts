import { beforeEach, describe, expect, it } from 'vitest';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

type Expected = { readonly total: number; readonly digest: string; readonly at: string };
type Ordered = {
  readonly results: readonly { readonly fp: string; readonly done: boolean }[];
  readonly next?: string;
  readonly left?: number;
};

let world: World;
beforeEach(async () => {
  world = await stepped();
  await new Agent(world, 'node1.acme.org').start();
});

/** The fingerprint of a machine that has knocked. */
async function waiting(fqdn: string): Promise<string> {
  const daemon = new Daemon(world, fqdn);
  await daemon.knock();
  return daemon.fp;
}

/** So many client systems that were accepted with the tag `old`, in the order of their fingerprints. */
async function old(count: number): Promise<string[]> {
  const fps: string[] = [];
  for (let n = 1; n <= count; n++) fps.push(await waiting(`web${n}.acme.org`));
  for (let at = 0; at < count; at += 200)
    expect(await order('accept', { systems: fps.slice(at, at + 200), tags: ['old'] })).toMatchObject({ status: 200 });
  return fps.sort();
}
const order = (path: string, body: object) => world.call('POST', `/api/v1/systems/${path}`, body);
const preview = async (q: string) => {
  await world.step(0);
  const { body } = await world.call('GET', `/api/v1/systems/find?${new URLSearchParams({ q, expect: 'yes', limit: '0' })}`);
  return body as { readonly total: number; readonly expect?: Expected };
};
const answered = async (path: string, body: object): Promise<Ordered> => {
  await world.step(0);
  const reply = await order(path, body);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body as Ordered;
};
/** Carries an order out to its end. The fingerprints of each call. */
async function carriedOut(path: string, body: object): Promise<string[][]> {
  const calls: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const { results, next } = await answered(path, { ...body, ...(cursor !== undefined && { cursor }) });
    expect(results.filter(({ done }) => !done)).toEqual([]);
    calls.push(results.map(({ fp }) => fp));
    if (next === undefined) return calls;
    cursor = next;
  }
}

describe('an order by a query', () => {
  it('is for the client systems that were previewed, 200 a call, although it takes itself what it finds them by', async () => {
    const fps = await old(205);
    const { total, expect: expected } = await preview('tag:old');
    expect(total).toBe(205);

    const retagged = { query: 'tag:old', expect: expected, tags: { add: ['new'], remove: ['old'] } };
    expect(await carriedOut('edit', retagged)).toEqual([[], fps.slice(0, 200), fps.slice(200)]);
    expect(await preview('tag:old')).toMatchObject({ total: 0 });
    expect(await preview('tag:new')).toMatchObject({ total: 205 });
  });

  it('can be repeated at each call: the cursor names the client systems, whether or not they still match', async () => {
    const fps = await old(3);
    const { expect: expected } = await preview('tag:old');
    const body = { query: 'tag:old', expect: expected, tags: { remove: ['old'] } };
    const first = await answered('edit', body);
    expect(first).toMatchObject({ results: [], left: 3 });
    expect(await answered('edit', body)).toEqual(first);
    const second = { ...body, cursor: first.next };
    for (const _ of [1, 2]) {
      const { results, ...rest } = await answered('edit', second);
      expect(results.map(({ fp, done }) => ({ fp, done }))).toEqual(fps.map((fp) => ({ fp, done: true })));
      expect(rest).toEqual({ left: 0 });
    }
  });

  it.each([
    ['pin', { node: 'node1.acme.org' }, 'pinned:no'],
    ['unpin', {}, 'pinned:yes'],
    ['ban', {}, 'not status:deleted'],
  ])('%s › is carried out', async (path, more, query) => {
    const fps = await old(2);
    for (const name of ['web1', 'web2']) expect(await preview(name)).toMatchObject({ total: 1 });
    if (path === 'unpin') await order('pin', { systems: fps, node: 'node1.acme.org' });
    const { expect: expected } = await preview(query);

    expect(await carriedOut(path, { query, expect: expected, ...more })).toEqual([[], fps]);
    expect(await preview(query)).toMatchObject({ total: 0 });
  });

  it('takes client systems off their nodes', async () => {
    const { fp } = await new Daemon(world, 'web1.acme.org').onboarded();
    const { expect: expected } = await preview('status:onboarded');

    expect(await carriedOut('unregister', { query: 'status:onboarded', expect: expected })).toEqual([[], [fp]]);
    expect(await preview('status:orphan')).toMatchObject({ total: 1 });
  });

  it('of a caller who is limited to a zone is for those of that zone, and no refusal counts others', async () => {
    const fps = await old(1);
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    const theirs = await waiting('web2.acme.org');
    await order('accept', { systems: [theirs], zone: 'emea', tags: ['old'] });
    const key = await world.call('POST', '/api/v1/keys', { name: 'emea', scopes: ['operate'], zones: ['default'] });
    const limited = { authorization: `Bearer ${(key.body as { secret: string }).secret}` };
    const whole = await preview('tag:old');
    expect(whole).toMatchObject({ total: 2 });

    const by = (body: object) => world.call('POST', '/api/v1/systems/edit', { query: 'tag:old', tags: { add: ['new'] }, ...body }, limited);
    expect(await by({ expect: whole.expect })).toMatchObject({ status: 409, body: { detail: expect.stringContaining('and 1 match now') } });
    const { body } = await world.call('GET', '/api/v1/systems/find?q=tag:old&expect=yes', undefined, limited);
    const own = (body as { expect: Expected }).expect;
    const { next } = (await by({ expect: own })).body as Ordered;
    expect(await by({ expect: own, cursor: next })).toMatchObject({
      status: 200,
      body: { results: [{ fp: fps[0], done: true }], left: 0 },
    });
    expect(await preview('tag:new')).toMatchObject({ total: 1 });
  });

  it('accepts keys from the pool', async () => {
    const fp = await waiting('app1.acme.org');
    const { expect: expected } = await preview('status:new app*');

    expect(await carriedOut('accept', { query: 'status:new app*', expect: expected, tags: ['app'] })).toEqual([[], [fp]]);
    expect(await preview('tag:app')).toMatchObject({ total: 1 });
  });

  it('is refused with nothing done when more, fewer or others match than were previewed', async () => {
    const [fp] = await old(2);
    const { expect: expected } = await preview('tag:old');
    const body = { query: 'tag:old', expect: expected, tags: { add: ['new'] } };
    const refused = async (detail: RegExp) => {
      await world.step(0);
      const type = 'urn:muster:problem:matches-changed';
      expect(await order('edit', body)).toMatchObject({ status: 409, body: { type, detail: expect.stringMatching(detail) } });
    };

    await order('edit', { systems: [fp], tags: { remove: ['old'] } });
    await refused(/^2 client systems matched when the query was previewed, and 1 match now: preview it again$/);
    const other = await waiting('app1.acme.org');
    await order('accept', { systems: [other], tags: ['old'] });
    await refused(/and as many match now, but others/);
    await order('edit', { systems: [fp], tags: { add: ['old'] } });
    await refused(/and 3 match now/);
    expect(await preview('tag:new')).toMatchObject({ total: 0 });
  });

  it('goes no further when those that are left change meanwhile, and nothing of that call is done', async () => {
    const fps = await old(202);
    const { expect: expected } = await preview('tag:old');
    const body = { query: 'tag:old', expect: expected, tags: { add: ['new'] } };
    const { next } = await answered('edit', body);
    await order('edit', { systems: [fps[201]], tags: { remove: ['old'] } });
    await world.step(0);

    expect(await order('edit', { ...body, cursor: next })).toMatchObject({
      status: 409,
      body: {
        detail: '2 client systems matched behind the 200 of earlier calls when the query was previewed, and 1 match now: preview it again',
      },
    });
    expect(await preview('tag:new')).toMatchObject({ total: 0 });
  });

  it('counts ages back from the preview', async () => {
    await old(1);
    await world.step(60_000);
    const { total, expect: expected } = await preview('registered:<2m');
    expect(total).toBe(1);
    await world.step(120_000);

    expect(await carriedOut('edit', { query: 'registered:<2m', expect: expected, tags: { add: ['new'] } })).toHaveLength(2);
  });

  it('has a cursor for no other order', async () => {
    await old(1);
    const { expect: expected } = await preview('tag:old');
    const { next } = await answered('edit', { query: 'tag:old', expect: expected, tags: { add: ['new'] } });

    for (const [path, body] of [
      ['edit', { tags: { add: ['newer'] } }],
      ['ban', {}],
    ] as const)
      expect(await order(path, { query: 'tag:old', expect: expected, ...body, cursor: next })).toMatchObject({
        status: 400,
        body: { type: 'urn:muster:problem:bad-cursor' },
      });
  });

  it('needs what the search expected, and no fingerprints beside it', async () => {
    const [fp] = await old(1);
    const { expect: expected } = await preview('tag:old');
    for (const body of [
      {},
      { query: 'tag:old' },
      { systems: [fp], expect: expected },
      { systems: [fp], query: 'tag:old', expect: expected },
    ])
      expect(await order('unregister', body)).toMatchObject({ status: 422, body: { type: 'urn:muster:problem:invalid' } });
    expect(await order('unregister', { query: 'tgs:old', expect: expected })).toMatchObject({
      status: 400,
      body: { type: 'urn:muster:problem:bad-query', errors: [{ pointer: '/query' }] },
    });
  });
});
