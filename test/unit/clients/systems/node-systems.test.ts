import { beforeEach, describe, expect, it } from 'vitest';
import { minionKeyOf, minionOf } from '../../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

let world: World;
let node: Agent;
beforeEach(async () => {
  world = await stepped();
  node = new Agent(world, 'node1.acme.org');
});
const problem = (slug: string) => ({ body: { type: `urn:muster:problem:${slug}` } });

describe('what a node desires', () => {
  it('is told by its revision: 304 while it has not changed', async () => {
    await node.start();
    const first = await node.desired();

    expect(first).toMatchObject({ status: 200, body: { release: [] }, headers: { etag: '"0"' } });
    expect((await node.desired({ 'if-none-match': '"0"' })).status).toBe(304);
    await new Agent(world, 'node2.acme.org').start();
    const then = await node.desired({ 'if-none-match': '"0"' });
    expect(then).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect((await node.beat()).body).toMatchObject({ desired: 1 });
  });
});

describe('the list of a node’s client systems', () => {
  it('is whole at first, its difference from then on, and stored again only when it changed', async () => {
    await node.start();
    const [web, db] = [new Daemon(world, 'web1.acme.org'), new Daemon(world, 'db1.acme.org')];
    await web.accepted();
    expect((await node.systems()).body).toEqual({ version: 1, whole: true, systems: [web.fp], gone: [] });
    expect((await node.systems(1)).body).toEqual({ version: 1, whole: false, systems: [], gone: [] });

    await db.accepted();
    await world.call('POST', '/api/v1/systems/ban', { systems: [web.fp] });
    expect((await node.systems(1)).body).toEqual({ version: 2, whole: false, systems: [db.fp], gone: [web.fp.slice(0, 16)] });
    expect((await node.systems(7)).body).toEqual({ version: 2, whole: true, systems: [db.fp], gone: [] });
  });

  it('says of a pending key whether it belongs here, and whose it is', async () => {
    await node.start();
    const other = await new Agent(world, 'node2.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    const owner = (await web.orphan()).body === node.fqdn ? node : other;
    const stranger = owner === node ? other : node;

    expect((await owner.verdictOn(web.fp)).body).toEqual({ verdict: 'accept', fp: web.fp });
    expect((await stranger.verdictOn(web.fp)).body).toEqual({ verdict: 'not-yours', node: owner.fqdn, fp: web.fp });
    const pooled = new Daemon(world, 'db1.acme.org');
    expect((await owner.verdictOn(pooled.fp)).body).toEqual({ verdict: 'unknown' });
    await pooled.knock();
    expect((await owner.verdictOn(pooled.fp)).body).toEqual({ verdict: 'unknown' });
  });
});

describe('a minion’s key that is pending', () => {
  it('is answered with the name that its machine has on the list', async () => {
    await node.start();
    const web = new Daemon(world, 'web1.acme.org');
    const key = minionKeyOf('web1');
    await web.knock({ minion: minionOf('web1', key, web.fp) });
    expect((await node.verdictOn(key.fingerprint)).body).toEqual({ verdict: 'unknown' });

    await web.accepted();
    expect((await node.systems()).body).toMatchObject({ systems: [web.fp] });
    expect((await node.verdictOn(key.fingerprint)).body).toEqual({ verdict: 'accept', fp: web.fp });
    await world.call('POST', '/api/v1/systems/ban', { systems: [web.fp] });
    expect((await node.verdictOn(key.fingerprint)).body).toEqual({ verdict: 'banned' });
  });
});

describe('many keys asked about at once', () => {
  it('are each answered as the key alone is, in the order asked, whichever of its fingerprints names it', async () => {
    await node.start();
    const other = await new Agent(world, 'node2.acme.org').start();
    const key = minionKeyOf('web1');
    const web = new Daemon(world, 'web1.acme.org');
    await web.knock({ minion: minionOf('web1', key, web.fp) });
    await web.accepted();
    const [app, bad, pooled] = ['app1', 'bad1', 'db1'].map((name) => new Daemon(world, `${name}.acme.org`)) as [Daemon, Daemon, Daemon];
    await app.accepted();
    await bad.accepted();
    await pooled.knock();
    await world.call('POST', '/api/v1/systems/ban', { systems: [bad.fp] });
    const fingerprints = [pooled.fp, key.fingerprint, bad.fp, app.fp, web.fp, '0'.repeat(64), key.fingerprint];

    for (const asks of [node, other]) {
      const { status, body } = await asks.call('POST', `/nodes/${asks.id}/systems/questions`, { fingerprints });
      const singly = await Promise.all(fingerprints.map(async (fp) => (await asks.verdictOn(fp)).body));
      expect([status, body]).toEqual([200, { answers: singly }]);
      expect(new Set(singly.map((one) => (one as { verdict: string }).verdict))).toContain('banned');
    }
  });

  it('are at most 500, and at least one', async () => {
    await node.start();
    const ask = (count: number) =>
      node.call('POST', `/nodes/${node.id}/systems/questions`, {
        fingerprints: Array.from({ length: count }, (_, n) => n.toString(16).padStart(64, '0')),
      });
    expect((await ask(500)).body).toEqual({ answers: Array.from({ length: 500 }, () => ({ verdict: 'unknown' })) });
    for (const count of [0, 501]) expect(await ask(count)).toMatchObject({ status: 422, ...problem('invalid') });
  });
});

describe('the cursor of a list', () => {
  it('belongs to the query it was given for, and to no other', async () => {
    for (let n = 0; n < 12; n++) await new Daemon(world, `web${n}.acme.org`).knock();
    const list = (query: string) => world.call('GET', `/api/v1/systems?limit=5&${query}`);
    const first = (await list('status=new')).body as { items: { fp: string }[]; next: string };

    const second = (await list(`status=new&cursor=${first.next}`)).body as typeof first;
    expect(new Set([...first.items, ...second.items].map(({ fp }) => fp)).size).toBe(first.items.length + second.items.length);
    for (const query of [`status=deleted&cursor=${first.next}`, `cursor=${first.next}`, 'status=new&cursor=AAAA'])
      expect(await list(query)).toMatchObject({ status: 400, ...problem('bad-cursor') });
  });
});
