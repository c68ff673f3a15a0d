import { describe, expect, it } from 'vitest';
import { hourMs, minuteMs } from '../../../../lib/core/time.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aBeat } from '../reports.ts';

/** A digest in which a node sees all of its first eight clients. */
const seesAll = (listVersion: number) => ({ digest: { listVersion, bits: Buffer.from([0xff]).toString('base64') } });
const rowOf = async ({ table }: World, fp: string) => (await table.read(keyOf({ noun: 'client', id: fp })))!;
/** The version of the list that the node is handed now. */
const listOf = async (agent: Agent): Promise<number> => ((await agent.systems()).body as { version: number }).version;

describe("a node's digest", () => {
  it('confirms a client that it shows: the client’s own call writes that, once, and gets a confirmed token', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    await web.orphan();
    await world.step(1);
    await node.beat(seesAll(await listOf(node)));
    await world.step(0);
    const { rev } = await rowOf(world, web.fp);

    expect((await web.status()).body).toBe('1');
    expect((await rowOf(world, web.fp)).rev).toBe(rev + 1);
    expect((await web.status()).body).toBe('1');
    expect((await rowOf(world, web.fp)).rev).toBe(rev + 1);
  });

  it('is seen by a call without a token, too, which writes nothing', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    await web.orphan();
    await world.step(1);
    await node.beat(seesAll(await listOf(node)));
    await world.step(0);
    const { rev } = await rowOf(world, web.fp);

    expect((await web.status({ token: null })).body).toBe('1');
    expect((await rowOf(world, web.fp)).rev).toBe(rev);
  });

  it('from before a client was told its node says nothing about it; the next one does, though it shows the same', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    await web.orphan();
    const version = await listOf(node);
    const beatSeeing = async () => {
      await world.step(6 * minuteMs);
      await node.beat(seesAll(version));
      await world.step(1);
    };
    await beatSeeing();
    expect((await web.status()).body).toBe('1');

    await world.call('POST', '/api/v1/systems/unregister', { systems: [web.fp] });
    await world.step(6_000);
    await web.knock();
    expect((await web.orphan()).body).toBe('node1.acme.org');

    expect((await web.status()).body).toBe('2');
    expect((await web.status({ token: null })).body).toBe('2');
    await beatSeeing();
    expect((await web.status()).body).toBe('1');
  });

  it('from before the node was given up says nothing about a client that it is told as new', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    await web.orphan();
    await world.step(1);
    await node.beat(seesAll(await listOf(node)));
    await world.step(1);
    expect((await web.status()).body).toBe('1');

    node.fallSilent();
    await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
    await world.step(minuteMs);
    await world.call('POST', '/api/v1/node-pool/admit', { hosts: ['node1.acme.org'] });
    await node.up(1);
    await world.step(0);
    await node.up();
    await node.say('node.ready');
    node.beats();
    await world.step(5_000);

    expect((await web.status()).body).toBe('2');
    expect((await web.orphan()).body).toBe('node1.acme.org');
    expect((await rowOf(world, web.fp)).body).toMatchObject({ told: { generation: 2 } });
    expect((await web.status()).body).toBe('2');
  });

  it('of another list version confirms nothing, and the node is told that its list is stale', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    await web.orphan();
    const version = await listOf(node);

    expect(await node.beat(seesAll(version + 1))).toMatchObject({ body: { listStale: true } });
    await world.step(0);
    expect((await web.status()).body).toBe('2');
    expect(await node.beat(seesAll(version))).toMatchObject({ body: { listStale: false } });
  });

  it('after a ban is answered that the list is stale, and the list that follows names who is gone', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const [web, db] = [await new Daemon(world, 'web1.acme.org').accepted(), await new Daemon(world, 'db1.acme.org').accepted()];
    const version = await listOf(node);
    expect(await node.beat(seesAll(version))).toMatchObject({ body: { listStale: false } });

    await world.call('POST', '/api/v1/systems/ban', { systems: [web.fp] });
    await world.step(6_000);

    expect(await node.beat(seesAll(version))).toMatchObject({ body: { listStale: true } });
    const list = await node.systems(version);
    expect(list).toMatchObject({ body: { version: version + 1, whole: false, systems: [], gone: [web.fp.slice(0, 16)] } });
    expect(await node.beat(seesAll(version + 1))).toMatchObject({ body: { listStale: false } });
    // The answer was lost, or a copy of the machine asked: it still holds the list that names the banned one.
    expect(await node.beat(seesAll(version))).toMatchObject({ body: { listStale: true } });
    expect(await node.systems()).toMatchObject({ body: { systems: [db.fp] } });
  });

  it('after an unregistration is answered so once, and the list is the same', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    const version = await listOf(node);

    await world.call('POST', '/api/v1/systems/unregister', { systems: [web.fp] });
    await web.orphan();
    await world.call('POST', '/api/v1/systems/unregister', { systems: [web.fp] });
    await world.step(6_000);

    expect(await node.beat(seesAll(version))).toMatchObject({ body: { listStale: true } });
    expect(await listOf(node)).toBe(version);
    expect(await node.beat(seesAll(version))).toMatchObject({ body: { listStale: false } });
  });

  it('of a boot that is not the acknowledged one confirms nothing', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').accepted();
    await web.orphan();
    await world.step(1);
    // While that heartbeat waits in its queue, the node boots again.
    const { digest } = seesAll(await listOf(node));
    const beat = aBeat({ seq: 99, receivedAt: world.now(), incarnation: 7, digest });
    await world.queue.send('heartbeats', JSON.stringify({ ...beat, node: node.id }));
    await world.step(0);

    expect(await world.table.read(keyOf({ noun: 'digest', id: node.id }))).toBeUndefined();
    expect((await web.status()).body).toBe('2');
  });

  it('that shows a client lets it call rarely; one that it does not show calls every 15 min', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    const next = async () => Number((await web.status()).headers['muster-next']);
    expect(Math.abs((await next()) - 900)).toBeLessThanOrEqual(90);

    await world.step(1);
    await node.beat(seesAll(await listOf(node)));
    await world.step(0);
    await web.knock();

    expect(Math.abs((await next()) - 21_600)).toBeLessThanOrEqual(2_160);
  });
});

describe('a sign of life', () => {
  it('of a client that its node does not see is written hourly, with a new token', async () => {
    const world = await stepped();
    await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    let writes = 0;
    let rev = (await rowOf(world, web.fp)).rev;
    let tokens = 0;
    for (let quarter = 0; quarter < 24; quarter++) {
      await world.step(15 * minuteMs);
      const before = web.token;
      expect((await web.status()).body).toBe('1');
      if (web.token !== before) tokens++;
      const now = (await rowOf(world, web.fp)).rev;
      writes += now - rev;
      rev = now;
    }
    expect([writes, tokens]).toEqual([6, 6]);
  });

  it('of a client that its node sees costs nothing for days, and its token never ends', async () => {
    const world = await stepped({ sweepPeriodMs: 60_000, beatMinMs: 300_000 });
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    await world.step(1);
    await node.beat(seesAll(await listOf(node)));
    await world.step(0);
    await web.knock();
    let renewals = 0;
    for (let call = 0; call < 10 * 4; call++) {
      await world.step(6 * hourMs);
      const before = web.token;
      expect((await web.status()).body).toBe('1');
      if (web.token !== before) renewals++;
    }
    expect(renewals).toBe(2);
  });
});
