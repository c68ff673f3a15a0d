import { describe, expect, it } from 'vitest';
import { dayMs, minuteMs } from '../../../../lib/core/time.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { minionKeyOf, minionOf } from '../../../support/minion-keys.ts';

type Answer = {
  readonly items: readonly { readonly fqdn: string; readonly status: string }[];
  readonly next?: string;
  readonly total: number;
  readonly query: string;
  readonly plan: readonly { readonly column: number; readonly term: string; readonly way: string; readonly hits: number }[];
  readonly facets: readonly { readonly field: string; readonly values: readonly { readonly value: string; readonly count: number }[] }[];
};
const ask = (world: World, q: string, more: Readonly<Record<string, string>> = {}) =>
  world.call('GET', `/api/v1/systems/find?${new URLSearchParams({ q, ...more })}`);
const find = async (world: World, q: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  await world.step(0);
  const { status, body } = await ask(world, q, more);
  expect(status).toBe(200);
  return body as Answer;
};
const names = async (world: World, q: string): Promise<string[]> => (await find(world, q)).items.map(({ fqdn }) => fqdn.split('.')[0]!);
const operate = (world: World, path: string, body: object) => world.call('POST', `/api/v1/systems/${path}`, body);

/** Two nodes, three client systems that live there, one orphan, one that waits and one that is banned. */
async function aFleet() {
  const world = await stepped();
  const node1 = await new Agent(world, 'node1.acme.org').start();
  const web1 = await new Daemon(world, 'web1.acme.org').onboarded();
  const web2 = await new Daemon(world, 'web2.acme.org').onboarded();
  const node2 = await new Agent(world, 'node2.acme.org').start();
  const db1 = await new Daemon(world, 'db1.shop.org').onboarded();
  const orphan = await new Daemon(world, 'app1.acme.org').accepted();
  const waits = new Daemon(world, 'new1.acme.org');
  await waits.knock({
    facts: { os: 'SLES 15', ip: '10.1.2.3,fe80::1', cpu: '8', ram: '17179869184' },
    minion: minionOf('salt-new1', minionKeyOf('new1'), waits.fp),
  });
  const banned = await new Daemon(world, 'bad1.acme.org').accepted();
  await operate(world, 'ban', { systems: [banned.fp] });
  await operate(world, 'edit', { systems: [web1.fp, db1.fp], tags: { add: ['prod'] }, groups: { add: ['eu'] } });
  return { world, node1, node2, web1, web2, db1, orphan, waits };
}

describe('a search', () => {
  it('finds client systems by name, tag, group, status, fact and fingerprint', async () => {
    const { world, web1 } = await aFleet();

    expect(await names(world, 'web*')).toEqual(['web1', 'web2']);
    expect(await names(world, 'web1')).toEqual(['web1']);
    expect(await names(world, '*.shop.org')).toEqual(['db1']);
    expect(await names(world, 'tag:prod and not web*')).toEqual(['db1']);
    expect(await names(world, 'group:eu tag:prod')).toEqual(['db1', 'web1']);
    expect(await names(world, 'status:orphan,new,deleted not web*')).toEqual(['app1', 'bad1', 'new1']);
    expect(await names(world, 'ip:10.0.0.0/8 ram:>=16GiB cpu:>4 os:sles*')).toEqual(['new1']);
    expect(await names(world, 'minion:salt-*')).toEqual(['new1']);
    expect(await names(world, `fp:${web1.fp.slice(0, 12)}`)).toEqual(['web1']);
    expect(await names(world, 'seen:<1h')).toHaveLength(6);
    expect(await names(world, 'seen:>1h')).toEqual([]);
    expect(await names(world, '')).toHaveLength(6);
  });

  it('gives each client system the status that its own calls and every view give it', async () => {
    const { world } = await aFleet();
    const found: string[] = [];
    for (const status of ['new', 'onboarded', 'orphan', 'deleted']) {
      const { items } = await find(world, `status:${status}`);
      expect(items.length).toBeGreaterThan(0);
      for (const item of items) expect(item).toMatchObject({ status });
      found.push(...items.map(({ fqdn }) => fqdn));
    }
    expect(found).toHaveLength(6);
  });

  it('gives those whom only the digest of their node confirms the status of their views, and counts them so', async () => {
    const { world, node1, node2 } = await aFleet();
    const told = await new Daemon(world, 'app2.acme.org').accepted();
    expect((await told.orphan()).status).toBe(200);
    const statusOf = async (): Promise<unknown> =>
      ((await world.call('GET', `/api/v1/systems/${told.fp}`)).body as { status: string }).status;
    expect([await statusOf(), await names(world, 'app* status:orphan')]).toEqual(['orphan', ['app1', 'app2']]);

    await world.step(minuteMs);
    for (const node of [node1, node2]) {
      const { version, systems } = (await node.systems()).body as { version: number; systems: string[] };
      await node.beat({ digest: { listVersion: version, bits: Buffer.alloc(Math.ceil(systems.length / 8), 0xff).toString('base64') } });
    }
    await world.step(minuteMs);

    expect([await statusOf(), await names(world, 'app* status:orphan'), await names(world, 'app* status:onboarded')]).toEqual([
      'onboarded',
      ['app1'],
      ['app2'],
    ]);
    const { facets } = await find(world, 'app*', { facets: 'status', limit: '0' });
    expect(facets[0]?.values).toEqual([
      { value: 'onboarded', count: 1 },
      { value: 'orphan', count: 1 },
    ]);
  });

  it('knows who accepted a client system: a person or program, by the whole or without its kind, or a token', async () => {
    const { world, waits } = await aFleet();
    const key = (await world.call('POST', '/api/v1/keys', { name: 'robot', scopes: ['operate'] })).body as {
      secret: string;
      key: { id: string };
    };
    const by = { authorization: `Bearer ${key.secret}` };
    expect((await world.call('POST', '/api/v1/systems/accept', { systems: [waits.fp] }, by)).status).toBe(200);
    const made = (await world.call('POST', '/api/v1/onboarding-tokens', {})).body as { secret: string; token: { id: string } };
    const late = new Daemon(world, 'late1.acme.org');
    await late.knock({ token: made.secret });

    expect(await names(world, `accepted-by:key:${key.key.id}`)).toEqual(['new1']);
    expect(await names(world, `accepted-by:${key.key.id}`)).toEqual(['new1']);
    expect(await names(world, `accepted-by:token:${made.token.id}`)).toEqual(['late1']);
    expect(await names(world, 'web* accepted-by:*')).toEqual(['web1', 'web2']);
    const { body } = await world.call('GET', `/api/v1/systems/${waits.fp}`);
    expect(body).toMatchObject({ accepted: { by: `key:${key.key.id}` } });
  });

  it('follows each change: a tag, a ban, an acceptance, a pin, a new machine', async () => {
    const { world, web2, waits } = await aFleet();
    expect(await names(world, 'tag:blue')).toEqual([]);
    await operate(world, 'edit', { systems: [web2.fp], tags: { add: ['blue'] } });
    expect(await names(world, 'tag:blue')).toEqual(['web2']);
    await operate(world, 'ban', { systems: [web2.fp] });
    expect(await names(world, 'web* status:onboarded')).toEqual(['web1']);
    await operate(world, 'accept', { systems: [waits.fp] });
    expect(await names(world, 'status:new')).toEqual([]);
    expect(await names(world, 'new1 status:orphan zone:default')).toEqual(['new1']);
    await operate(world, 'pin', { systems: [waits.fp], node: 'node2.acme.org' });
    expect(await names(world, 'pinned:yes')).toEqual(['new1']);
    expect(await names(world, 'pinned:node2*')).toEqual(['new1']);
    await new Daemon(world, 'late1.acme.org').knock();
    expect(await names(world, 'late*')).toEqual(['late1']);
  });

  it('finds the same by what it followed as an environment that has read every row just now', async () => {
    const { world, web1, web2, waits, orphan } = await aFleet();
    const queries = ['', 'status:new', 'status:orphan', 'status:deleted', 'tag:prod', 'tag:blue', 'group:eu', 'pinned:yes', 'web* db*'];
    const all = async () => Promise.all(queries.map(async (q) => (await find(world, q)).items));
    await find(world, '');
    await operate(world, 'accept', { systems: [waits.fp], tags: ['blue'] });
    await operate(world, 'pin', { systems: [orphan.fp], node: 'node1.acme.org' });
    await operate(world, 'edit', { systems: [web1.fp], tags: { add: ['blue'], remove: ['prod'] } });
    await operate(world, 'unregister', { systems: [web1.fp] });
    await operate(world, 'ban', { systems: [web2.fp] });
    await new Daemon(world, 'late1.acme.org').knock();
    await world.step(minuteMs);
    const followed = await all();
    world.environment('search').caches.delete('fleet');

    expect(await all()).toEqual(followed);
    expect(followed[0]).toHaveLength(7);
  });

  it('knows by the map who is on which node, and by digests who is silent', async () => {
    const { world, node1, web1 } = await aFleet();
    expect(await names(world, 'node:node1.acme.org name:web*')).toEqual(['web1', 'web2']);
    expect(await names(world, `node:${node1.id} name:web*`)).toEqual(['web1', 'web2']);
    expect(await names(world, 'node:node1 name:web*')).toEqual(['web1', 'web2']);
    const { version, systems } = (await node1.systems()).body as { version: number; systems: string[] };
    const sees = async (without: string | undefined): Promise<void> => {
      const bytes = Buffer.alloc(Math.ceil(systems.length / 8));
      for (const [place, fp] of systems.entries()) if (fp !== without) bytes[place >> 3] = bytes[place >> 3]! | (1 << (place & 7));
      await node1.beat({ digest: { listVersion: version, bits: bytes.toString('base64') } });
      await world.step(minuteMs);
    };
    const isOnNode1 = systems.includes(web1.fp);
    await sees(undefined);
    await sees(web1.fp);
    await sees(web1.fp);

    expect(await names(world, 'silent:yes')).toEqual(isOnNode1 ? ['web1'] : []);
    expect(await names(world, 'silent:>7d')).toEqual([]);
    expect(await names(world, 'web1 silent:no')).toEqual(isOnNode1 ? [] : ['web1']);
  });

  it('no longer counts a machine that waited until it was forgotten, although no commit says so', async () => {
    const world = await stepped();
    await new Daemon(world, 'new1.acme.org').knock();
    expect(await find(world, 'status:new')).toMatchObject({ total: 1 });
    world.sleep(31 * dayMs);

    expect(await find(world, 'status:new')).toMatchObject({ total: 0, items: [] });
  });

  it('goes on by a cursor without a repeat or a hole, while others come and go', async () => {
    const { world } = await aFleet();
    const seen: string[] = [];
    let page = await find(world, '', { limit: '2' });
    for (;;) {
      seen.push(...page.items.map(({ fqdn }) => fqdn));
      if (page.next === undefined) break;
      await new Daemon(world, `aaa${seen.length}.acme.org`).knock();
      page = await find(world, '', { limit: '2', cursor: page.next });
    }
    expect(seen).toEqual(['app1.acme.org', 'bad1.acme.org', 'db1.shop.org', 'new1.acme.org', 'web1.acme.org', 'web2.acme.org']);
  });

  it('counts exactly, with facets, and says how it read the query and found each term', async () => {
    const { world } = await aFleet();
    const answer = await find(world, 'TAG:prod and (web* or db*)', { facets: 'status,zone,tag', limit: '0' });

    expect(answer).toMatchObject({ items: [], total: 2, query: 'tag:prod and (name:web* or name:db*)' });
    expect(answer).not.toHaveProperty('next');
    expect(answer.plan.map(({ column, term }) => [column, term])).toContainEqual([1, 'TAG:prod']);
    expect(answer.facets).toEqual([
      { field: 'status', distinct: 1, values: [{ value: 'onboarded', count: 2 }] },
      { field: 'zone', distinct: 1, values: [{ value: 'default', count: 2 }] },
      { field: 'tag', distinct: 1, values: [{ value: 'prod', count: 2 }] },
    ]);
  });

  it('is refused with the column where it cannot be read, and for fields that are not searched yet', async () => {
    const { world } = await aFleet();

    expect(await ask(world, 'tgs:db')).toMatchObject({
      status: 400,
      body: { type: 'urn:muster:problem:bad-query', detail: expect.stringMatching(/^column 1: .*did you mean tags:db\?$/) },
    });
    const refused = (detail: string) => ({ status: 400, body: { type: 'urn:muster:problem:bad-query', detail } });
    for (const q of ['web1 and kind:node', 'web1 and kind:system,host', 'web1 and kind:*'])
      expect(await ask(world, q)).toMatchObject(
        refused('column 10: only client systems are searched here, and GET /api/v1/find finds other things; leave the term out'),
      );
    expect(await ask(world, 'web1 status:up')).toMatchObject(
      refused('column 6: up is no status of a client system, but one of things that GET /api/v1/find finds; leave the term out'),
    );
    expect(await ask(world, 'web1 or not custom.rack:a12')).toMatchObject(
      refused('column 13: this version of Muster stores no custom values; leave the term out'),
    );
    expect(await names(world, 'web* kind:system')).toEqual(['web1', 'web2']);
  });
});
