import { beforeEach, describe, expect, it } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../../../lib/core/time.ts';
import { readToken } from '../../../../lib/identity/token.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import type { Revoked } from '../../../../lib/zones/zone.ts';
import { asOperator } from '../../../../tools/support/operator.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

let world: World;
let node1: Agent;
let web: Daemon;
beforeEach(async () => {
  world = await stepped();
  node1 = await new Agent(world, 'node1.acme.org').start();
  web = await new Daemon(world, 'web1.acme.org').onboarded();
  expect((await web.status()).body).toBe('1');
});
const order = (what: 'ban' | 'unregister', systems = [web.fp]) => world.call('POST', `/api/v1/systems/${what}`, { systems });
/** As long as an environment may answer by the zone it has cached. */
const pass = () => world.step(5_001);

describe('an unregistered client system', () => {
  it('is an orphan, its old token as none, and is told a node again by its own call', async () => {
    const old = web.token!;
    expect(await order('unregister')).toMatchObject({ body: { results: [{ fp: web.fp, done: true }] } });
    await pass();

    expect((await web.status({ token: old })).body).toBe('2');
    expect((await web.orphan({ token: old })).status).toBe(204);
    expect((await web.knock()).body).toBe('2');
    expect(web.token).not.toBe(old);
    expect((await web.orphan()).body).toBe('node1.acme.org');
    expect((await web.knock({ confirmed: 'node1.acme.org' })).body).toBe('1');
    expect((await web.status()).body).toBe('1');
    expect((await web.status({ token: old })).headers).not.toHaveProperty('muster-token');
  });

  it('that still brings its old token is told to knock, soon, and only then', async () => {
    const old = web.token!;
    await order('unregister');
    await pass();

    for (const answer of [await web.status({ token: old }), await web.orphan({ token: old })]) {
      expect(answer.headers).toMatchObject({ 'muster-knock': '1' });
      expect(Math.abs(Number(answer.headers['muster-next']) - 5)).toBeLessThanOrEqual(1);
    }
    expect((await web.status({ token: null })).headers).not.toHaveProperty('muster-knock');
    await web.knock();
    expect((await web.orphan()).headers).not.toHaveProperty('muster-knock');
    expect((await web.status()).headers).not.toHaveProperty('muster-knock');
  });

  it('is never deleted, and is there for its administrator as before', async () => {
    await order('unregister');

    expect(await world.call('GET', `/api/v1/systems/${web.fp}`)).toMatchObject({ body: { status: 'orphan', zone: 'default' } });
  });

  it('may knock in the very second, and its new token holds', async () => {
    await order('unregister');
    await web.knock();
    await pass();

    expect((await web.orphan()).body).toBe('node1.acme.org');
    expect((await web.knock({ confirmed: 'node1.acme.org' })).body).toBe('1');
  });

  it('that has lost its node and knocked in the very second at a door that does not know yet finds its place with its next knock', async () => {
    await order('unregister');
    await web.knock({ lost: true });
    await pass();
    expect((await web.orphan()).status).toBe(204);

    await web.knock();

    expect((await web.orphan()).body).toBe('node1.acme.org');
  });
});

describe('a banned client system', () => {
  it('is deleted at its next knock, and with a token that would be valid for days', async () => {
    await order('ban');

    expect((await web.knock()).body).toBe('3');
    await pass();
    expect((await web.status()).body).toBe('3');
    expect((await web.status({ token: null })).body).toBe('3');
    expect((await web.orphan()).status).toBe(204);
  });

  it('stays so for ever: no knock, no acceptance and no confirmation brings it back', async () => {
    await order('ban');
    await pass();

    expect(await order('ban')).toMatchObject({ body: { results: [{ done: true, because: 'banned, for ever' }] } });
    expect(await world.call('POST', '/api/v1/systems/accept', { systems: [web.fp] })).toMatchObject({
      body: { results: [{ done: false }] },
    });
    expect((await web.knock({ confirmed: 'node1.acme.org', facts: { os: 'another' } })).body).toBe('3');
    expect(await order('unregister')).toMatchObject({ body: { results: [{ done: false, because: 'banned, for ever' }] } });
    expect((await web.knock()).headers).not.toHaveProperty('muster-token');
  });

  it('is told to come back in a day', async () => {
    await order('ban');

    expect(Math.abs(Number((await web.knock()).headers['muster-next']) - 86_400)).toBeLessThanOrEqual(8_640);
  });

  it('is turned away on its node, too', async () => {
    const node = new Agent(world, 'node1.acme.org');
    expect(await node.verdictOn(web.fp)).toMatchObject({ body: { verdict: 'accept' } });

    await order('ban');

    expect(await node.verdictOn(web.fp)).toMatchObject({ body: { verdict: 'banned' } });
  });
});

/** What a node is told when it asks whose place was revoked. */
const revokedSince = (sinceS?: number) => node1.call('GET', `/nodes/${node1.id}/revoked${sinceS === undefined ? '' : `?since=${sinceS}`}`);

describe('a node whose master may keep the key of somebody whose place was revoked', () => {
  it('is told so with its next heartbeat, and whom it should ask about again', async () => {
    const late = await new Daemon(world, 'web2.acme.org').onboarded();
    expect((await node1.beat()).body).not.toHaveProperty('revoked');
    await order('unregister', [late.fp]);
    await pass();
    const { revoked } = (await node1.beat()).body as { revoked: number };
    const first = (await revokedSince()).body as { version: number; at: number };
    expect(first).toMatchObject({ version: revoked, systems: [late.fp.slice(0, 8)], everybody: false });

    await world.step(10 * minuteMs);
    await order('ban');
    await pass();

    expect((await node1.beat()).body).toMatchObject({ revoked: revoked + 1 });
    const both = [late, web].map(({ fp }) => fp.slice(0, 8)).sort();
    expect((await revokedSince(first.at)).body).toMatchObject({ version: revoked + 1, systems: both, everybody: false });
    expect((await revokedSince(first.at + 120)).body).toMatchObject({ systems: [web.fp.slice(0, 8)] });
  });
});

describe('a revocation while a call is being answered', () => {
  /**
   * The door of client systems, held up for two seconds after it has read a client's row for the nth time; meanwhile it
   * is revoked.
   */
  const slowly = async (nth: number, revoke: 'ban' | 'unregister' = 'ban') => {
    const { default: door } = await import('../../../../functions/knock.ts');
    const shell = world.environment('knock');
    let reads = 0;
    const read: typeof shell.table.read = async (key) => {
      const row = await shell.table.read(key);
      reads += key.pk.startsWith('client#') ? 1 : 0;
      if (reads !== nth) return row;
      reads += 1;
      await order(revoke);
      await world.step(2_000);
      return row;
    };
    return (request: { method: string; path: string; query: string; body: string }, headers: Record<string, string>) =>
      door.handle({ ...request, id: 'slow', source: '', header: (name) => headers[name] }, { ...shell, table: { ...shell.table, read } });
  };

  it('is of the token that it is answered with, too', async () => {
    // Few sweeps, because nothing else is to happen in the hour after which the token is exchanged for another one.
    world = await stepped({ sweepPeriodMs: 60_000, beatMinMs: 300_000 });
    await new Agent(world, 'node1.acme.org').start();
    web = await new Daemon(world, 'web1.acme.org').onboarded();
    const call = await slowly(1);
    await world.step(hourMs + 2_000);

    const answer = await call({ method: 'GET', path: '/system/status', query: `fp=${web.fp}`, body: '' }, { 'muster-token': web.token! });
    await pass();

    const token = answer.headers?.['muster-token'] ?? null;
    expect((await web.status({ token })).body).toBe('3');
  });

  it('is of the token of a knock that reads the revocations after it, too', async () => {
    const call = await slowly(2);
    const [body, headers] = web.knocking();

    const answer = await call(
      { method: 'POST', path: '/system/knock', query: '', body: JSON.stringify(body) },
      { 'content-type': 'application/json', ...headers },
    );
    await pass();

    expect((await web.status({ token: answer.headers?.['muster-token'] ?? null })).body).toBe('3');
  });

  it('is what the knock is answered: not Onboarded for hours beside a token that names no node', async () => {
    const call = await slowly(2, 'unregister');
    const [body, headers] = web.knocking();

    const answer = await call(
      { method: 'POST', path: '/system/knock', query: '', body: JSON.stringify(body) },
      { 'content-type': 'application/json', ...headers },
    );

    expect(answer.body).toBe('2');
    expect(Number(answer.headers?.['muster-next'])).toBeLessThanOrEqual(66);
  });
});

describe('a ban of a machine that somebody else accepts meanwhile', () => {
  it('revokes the token that it was given since', async () => {
    const late = new Daemon(world, 'late.acme.org');
    await late.knock();
    const { default: door } = await import('../../../../functions/admin.ts');
    const shell = world.environment('admin');
    const read: typeof shell.table.read = async (key) => {
      const row = await shell.table.read(key);
      if (key.pk === `client#${late.fp}` && late.token === undefined) await late.accepted();
      return row;
    };
    const body = JSON.stringify({ systems: [late.fp] });
    const request = { id: 'slow', method: 'POST', path: '/api/v1/systems/ban', query: '', body, source: '' };
    const headers: Readonly<Record<string, string>> = { 'content-type': 'application/json', ...asOperator };

    const reply = await door.handle({ ...request, header: (name) => headers[name] }, { ...shell, table: { ...shell.table, read } });

    expect(JSON.parse(reply.body!)).toEqual({ results: [{ fp: late.fp, done: true, because: 'banned, for ever' }] });
    await pass();
    expect((await late.orphan()).headers).not.toHaveProperty('muster-token');
    const revoked = await world.table.read(keyOf({ noun: 'revoked', id: 'default' }));
    expect((revoked!.body as Revoked).entries).toHaveLength(8);
  });
});

describe('many at once', () => {
  it('are revoked 50 a commit, each told what became of it', async () => {
    const others = Array.from({ length: 120 }, (_, n) => new Daemon(world, `many${n}.acme.org`));
    for (const other of others) await other.knock();
    await world.call('POST', '/api/v1/systems/accept', { systems: others.map(({ fp }) => fp) });
    for (const other of others) await other.knock();

    const { body } = await order('ban', [...others.map(({ fp }) => fp), web.fp]);

    const { results } = body as { results: { fp: string; done: boolean }[] };
    expect(results.map(({ done }) => done)).toEqual(Array.from({ length: 121 }, () => true));
    expect(new Set(results.map(({ fp }) => fp))).toEqual(new Set([...others.map(({ fp }) => fp), web.fp]));
    await pass();
    for (const other of others) expect((await other.status()).body).toBe('3');
  });
});

describe('a token that has grown older than its life', () => {
  it('is as none: its client is told to knock, and what it is told of its place stands', async () => {
    // As long as tokens live, and with few sweeps, because nothing else is to happen meanwhile.
    world = await stepped({ sweepPeriodMs: 60_000, beatMinMs: 300_000 });
    await new Agent(world, 'node1.acme.org').start();
    web = await new Daemon(world, 'web1.acme.org').onboarded();
    const old = web.token!;
    await world.step(7 * dayMs + 2_000);
    const answers = [await web.status({ token: old }), await web.orphan({ token: old })];

    expect(answers.map(({ body }) => body)).toEqual(['1', 'node1.acme.org']);
    for (const { headers } of answers) expect(headers).toMatchObject({ 'muster-knock': '1' });
    await web.knock();
    expect((await web.status()).headers).not.toHaveProperty('muster-knock');
  });
});

describe('a token that the first request of an environment brings', () => {
  it('is judged by a zone that this environment has never seen', async () => {
    world.environment('knock').caches.clear();

    expect((await web.status()).body).toBe('1');
    expect(readToken(web.token!, { id: 1, secret: new Uint8Array(32).fill(7) })).toMatchObject({ zone: 1, confirmed: true });
  });
});
