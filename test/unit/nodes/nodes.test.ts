import { beforeEach, describe, expect, it } from 'vitest';
import { Later } from '../../../lib/core/errors.ts';
import { dayMs, minuteMs, secondMs } from '../../../lib/core/time.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { Agent, Daemon, factsOf, signedIn } from '../../../tools/support/players.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aBeat } from './reports.ts';

let world: World;
let node: Agent;
beforeEach(async () => {
  world = await stepped();
  node = new Agent(world, 'node1.acme.org');
});
const rowOf = async (agent: Agent): Promise<Node> => (await world.table.read(keyOf({ noun: 'node', id: agent.id })))!.body as Node;
const problem = (slug: string) => ({ body: { type: `urn:muster:problem:${slug}` } });
/** It is lost, which the only node of a zone never is: another one is up. */
const downAndUp = async (): Promise<void> => {
  await new Agent(world, 'node2.acme.org').start();
  node.fallSilent();
  await world.step(minuteMs);
};

describe('a node that joins', () => {
  it('is the same node when its key joins again, under the name it is bound to', async () => {
    const first = await node.join();

    expect(first).toMatchObject({ status: 201, body: { node: node.id, zone: 'default' } });
    expect(await node.join()).toMatchObject({ status: 201, body: { node: node.id } });
    expect(await new Agent(world, 'node9.acme.org', 'node1.acme.org').join()).toMatchObject({ status: 409, ...problem('refused') });
  });

  it('cannot have the name of another, until that one is dropped; the old one cannot have it back then', async () => {
    await node.start();
    const replacement = new Agent(world, 'node1.acme.org', 'another key');
    expect(await replacement.join()).toMatchObject({ status: 409, ...problem('fqdn-in-use') });

    await world.call('POST', `/api/v1/nodes/${node.id}/drop`, {});
    await world.step(5_000);
    expect((await replacement.join()).status).toBe(201);

    expect(await node.up(1)).toMatchObject({ status: 410, ...problem('removed') });
  });

  it('takes over the name of one that never said node-up, which is known by nobody then', async () => {
    const mistaken = new Agent(world, 'node1.acme.org', 'another key');
    await mistaken.join();
    await mistaken.up();

    expect((await node.join()).status).toBe(201);
    await world.step(0);

    expect(await mistaken.up()).toMatchObject({ status: 404, ...problem('unknown-node') });
    expect(await mistaken.join()).toMatchObject({ status: 201 });
    expect(await node.up()).toMatchObject({ status: 404, ...problem('unknown-node') });
  });

  it('and never said node-up is removed when it is dropped, and its name is free', async () => {
    const mistaken = new Agent(world, 'node1.acme.org', 'another key');
    await mistaken.join();

    expect(await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {})).toMatchObject({ status: 202, body: { done: true } });

    expect((await world.call('GET', '/api/v1/nodes')).body).toMatchObject({ items: [] });
    expect((await node.join()).status).toBe(201);
  });

  it('takes over the name of one that was given up, which is not re-admitted by a report that waited meanwhile', async () => {
    await node.start();
    await world.call('POST', `/api/v1/nodes/${node.id}/drop`, {});
    node.fallSilent();
    await world.step(5_000);
    await node.up(1);
    const replacement = new Agent(world, 'node1.acme.org', 'another key');
    expect((await replacement.join()).status).toBe(201);

    await world.step(5_000);

    expect(await rowOf(node)).toMatchObject({ status: 'dropped', generation: 1 });
    await replacement.start();
    expect(await rowOf(replacement)).toMatchObject({ status: 'up', fqdn: 'node1.acme.org' });
  });

  it('is known by nobody before it has joined', async () => {
    node.incarnation = 1;
    for (const call of [node.up(), node.beat(), node.leave('drain'), node.desired(), node.systems()])
      expect(await call).toMatchObject({ status: 404, ...problem('unknown-node') });
  });
});

describe('a node that says node-up', () => {
  it('is answered 202 until this boot is acknowledged, and 200 with its numbers from then on', async () => {
    await node.join();

    expect(await node.up()).toMatchObject({ status: 202, body: { acknowledged: false } });
    await world.step(0);
    expect(await node.up()).toMatchObject({ status: 200, body: { acknowledged: true, incarnation: 1, generation: 1 } });
    node.boot = 2;
    await world.step(1_000);
    expect((await node.up()).status).toBe(202);
    await world.step(0);
    expect(await node.up()).toMatchObject({ body: { incarnation: 2, generation: 1 } });
  });

  it('and is a clone is refused, and both are quarantined: its clients stay, none are added', async () => {
    await node.start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    const clone = new Agent(world, 'node1.acme.org');
    clone.boot = 2;
    await clone.up();
    await world.step(0);
    await clone.up();

    await world.step(2_000);
    expect((await clone.beat()).status).toBe(200);
    await world.step(0);
    expect(await node.beat()).toMatchObject({ status: 409, ...problem('send-node-up') });
    expect((await node.up()).status).toBe(202);
    await world.step(4_000);
    expect(await node.up()).toMatchObject({ status: 409, ...problem('key-cloned') });
    await world.step(5_000);

    expect(await rowOf(node)).toMatchObject({ status: 'quarantined', reason: 'clone' });
    expect(await clone.beat()).toMatchObject({ status: 409, ...problem('quarantined') });
    expect((await web.status()).body).toBe('1');
    const db = await new Daemon(world, 'db1.acme.org').accepted();
    expect((await db.orphan()).status).toBe(204);
    expect(world.bus.published.filter(({ type }) => type === 'node.quarantined')).toHaveLength(1);
  });
});

describe('a node-up of the boot before', () => {
  it('that was signed before the present one spoke, and was held up on its way, is no clone; one that is signed after it is', async () => {
    await node.start();
    const target = `/nodes/${node.id}/up`;
    const body = { id: 'held-up', boot: { id: 'node1.acme.org-boot-1', kernel: 'kernel-1' }, facts: factsOf(node.fqdn) };
    const signed = signedIn(world, { method: 'POST', target, body }, node.keys);
    await world.step(3_000);
    node.boot = 2;
    await node.up();
    await world.step(0);
    await node.up();
    await world.step(1_000);

    expect(await world.call('POST', target, body, signed)).toMatchObject({ status: 202, body: { acknowledged: false } });
    await world.step(5_000);
    expect(await rowOf(node)).toMatchObject({ status: 'up', incarnation: 2 });
    expect((await node.beat()).status).toBe(200);

    node.boot = 1;
    expect(await node.up()).toMatchObject({ status: 409, ...problem('key-cloned') });
    await world.step(5_000);
    expect(await rowOf(node)).toMatchObject({ status: 'quarantined', reason: 'clone' });
  });
});

describe('a node that beats', () => {
  it('is told to say node-up when it is down or of another boot, and comes back by that', async () => {
    await node.start();
    await downAndUp();
    expect(await node.beat()).toMatchObject({ status: 409, ...problem('send-node-up') });

    expect((await node.up()).status).toBe(202);
    await world.step(5_000);

    expect(await node.up()).toMatchObject({ status: 200, body: { incarnation: 1, generation: 1 } });
    expect((await node.beat()).status).toBe(200);
  });

  it('must flush and join as new once it was given up, within the same boot of its agent', async () => {
    await node.start();
    await downAndUp();
    await world.step(30 * minuteMs);

    expect(await node.beat()).toMatchObject({ status: 409, ...problem('must-rejoin'), headers: { 'muster-generation': '1' } });
    expect(await node.up()).toMatchObject({ status: 409, ...problem('must-rejoin') });
    await world.call('POST', '/api/v1/node-pool/admit', { hosts: ['node1.acme.org'] });
    expect((await node.up(1)).status).toBe(202);
    await world.step(0);
    expect(await node.up()).toMatchObject({ status: 200, body: { generation: 2 } });
    await node.say('node.ready');
    await world.step(5_000);

    expect(await rowOf(node)).toMatchObject({ status: 'up', generation: 2, index: 2 });
  });

  it('is told to go when it was drained as it should', async () => {
    await node.start();
    await new Agent(world, 'node2.acme.org').start();
    await node.leave('drain');
    await world.step(5_000);
    const { body } = await node.desired();
    const { release } = body as { release: { mapVersion: number; slots: number[] }[] };
    await node.say('node.released', { mapVersion: release.at(-1)!.mapVersion });
    await world.step(5_000);

    expect(await node.beat()).toMatchObject({ status: 410, ...problem('removed') });
    expect(await rowOf(node)).toMatchObject({ status: 'dropped', planned: true });
    expect((await node.desired()).body).toEqual({ release: [] });
  });

  it('is not brought back from down by a node-up that waited longer than a lease', async () => {
    await node.start();
    await downAndUp();
    await node.up();
    await world.queue.receive('reports', 1, 45_000);
    await world.step(minuteMs);

    expect(await rowOf(node)).toMatchObject({ status: 'down' });
    expect(world.bus.published.filter(({ type }) => type === 'node.recovered')).toEqual([]);
    await node.up();
    await world.step(5_000);
    expect(await rowOf(node)).toMatchObject({ status: 'up' });
  });

  it('renews nothing with a heartbeat that waited longer than a lease', async () => {
    await node.start();
    await new Agent(world, 'node2.acme.org').start();
    node.fallSilent();
    await world.queue.send('heartbeats', JSON.stringify({ ...aBeat({ seq: 99, receivedAt: world.now() }), node: node.id }));
    await world.queue.receive('heartbeats', 1, 45_000);
    await world.step(minuteMs);

    expect(await rowOf(node)).toMatchObject({ status: 'down' });
    expect(world.logged.filter(({ code }) => code === 'heartbeat.late')).toHaveLength(1);
  });
});

describe('a node whose door hears at once', () => {
  it('is heard without a message, and by one where the table is out of reach for a while', async () => {
    const there = await stepped({ hearsAtOnce: true });
    const beating = await new Agent(there, 'node1.acme.org').start();
    const row = async () => (await there.table.read(keyOf({ noun: 'node', id: beating.id })))!.body;
    const waiting = async () => (await there.queue.depth('heartbeats')).messages;
    beating.fallSilent();
    await there.step(secondMs);
    await beating.beat();
    expect(await row()).toMatchObject({ heardAt: there.now(), seq: beating.seq });
    expect(await waiting()).toBe(0);

    await there.step(secondMs);
    const { commit } = there.table;
    there.table.commit = () => Promise.reject(new Later('table.throttled', 'too much at once'));
    const at = there.now();
    expect(await beating.beat()).toMatchObject({ status: 200 });
    expect(await waiting()).toBe(1);
    there.table.commit = commit;
    await there.step(secondMs);

    expect(await row()).toMatchObject({ heardAt: at, seq: beating.seq });
  });
});

describe('a heartbeat that is decided at once', () => {
  const spied = async () => {
    const there = await stepped({ hearsAtOnce: true });
    const beating = await new Agent(there, 'node1.acme.org').start();
    beating.fallSilent();
    await there.step(secondMs);
    const { readMany, read } = there.table;
    const reads: string[] = [];
    there.table.readMany = (keys, how = 'now') => {
      reads.push(...keys.map(({ sk }) => `${sk} ${how}`));
      return readMany(keys, how);
    };
    there.table.read = (key) => {
      reads.push(`${key.sk} now`);
      return read(key);
    };
    return { there, beating, reads, readMany };
  };

  it('reads its node and what that should run in one go, as they were a moment ago; with a digest the rows of that, too', async () => {
    const { there, beating, reads } = await spied();
    const ofNode = () => reads.splice(0).filter((one) => /^(node|desired|systems|digest) /.test(one));
    expect(await beating.beat()).toMatchObject({ status: 200 });
    expect(ofNode()).toEqual(['node lately', 'desired lately']);
    await beating.beat({ digest: { listVersion: 1, bits: 'AQ==' } });
    expect(ofNode()).toEqual(['node lately', 'desired lately', 'systems lately', 'digest lately', 'digest now', 'systems lately']);
    await there.step(secondMs);
    ofNode();
    await beating.beat({ digest: { listVersion: 1, bits: 'Ag==' } });
    // Which list the digest is over is read anew, because it is not the one that anything was recorded of.
    expect(ofNode()).toEqual(['node lately', 'desired lately', 'systems lately', 'digest lately', 'systems lately']);
  });

  it('is decided by the row as it is where it was read as it was, and refused by no other', async () => {
    const { there, beating, reads, readMany } = await spied();
    const key = keyOf({ noun: 'node', id: beating.id });
    const old = (await there.table.read(key))!;
    await beating.beat();
    there.table.readMany = async (keys, how) =>
      (await readMany(keys, how)).map((row) => (how === 'lately' && row?.key.pk === key.pk && row.key.sk === 'node' ? old : row));
    await there.step(secondMs);
    expect(await beating.beat()).toMatchObject({ status: 200 });
    expect((await there.table.read(key))!.body).toMatchObject({ heardAt: there.now(), seq: beating.seq });

    // Nobody knew the node a moment ago.
    there.table.readMany = async (keys, how) =>
      (await readMany(keys, how)).map((row) => (how === 'lately' && row?.key.pk === key.pk ? undefined : row));
    reads.length = 0;
    await there.step(secondMs);
    expect(await beating.beat()).toMatchObject({ status: 200 });
    expect(reads).toContain('node now');
  });

  it('is told to send node-up where it was down by then, although its row said otherwise a moment ago', async () => {
    const { there, beating, readMany } = await spied();
    const key = keyOf({ noun: 'node', id: beating.id });
    const old = (await there.table.read(key))!;
    for (const fqdn of ['node2.acme.org', 'node3.acme.org', 'node4.acme.org']) await new Agent(there, fqdn).start();
    await there.step(5 * minuteMs);
    expect((await there.table.read(key))!.body).toMatchObject({ status: 'down' });
    there.table.readMany = async (keys, how) =>
      (await readMany(keys, how)).map((row) => (how === 'lately' && row?.key.pk === key.pk && row.key.sk === 'node' ? old : row));

    expect(await beating.beat()).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:send-node-up' } });
  });

  it.each([
    ['is decided here', false],
    ['goes by the queue', true],
  ])(
    'is told that its node was removed by then, although its row said otherwise a moment ago, where it %s',
    async (_where, isThrottled) => {
      const { there, beating, readMany } = await spied();
      const key = keyOf({ noun: 'node', id: beating.id });
      const old = (await there.table.read(key))!;
      expect(await there.call('POST', `/api/v1/nodes/${beating.id}/remove`, {})).toMatchObject({ status: 202 });
      there.table.readMany = async (keys, how) =>
        (await readMany(keys, how)).map((row) => (how === 'lately' && row?.key.pk === key.pk && row.key.sk === 'node' ? old : row));
      if (isThrottled) there.table.commit = () => Promise.reject(new Later('table.throttled', 'too much at once'));

      expect(await beating.beat()).toMatchObject({ status: 410, body: { type: 'urn:muster:problem:removed' } });
    },
  );

  it.each([
    ['was not heard', 0],
    ['was heard', 1],
  ])('signed by a key that has been replaced by then is refused, one that by its row of a moment ago %s', async (_which, ahead) => {
    const { there, beating, readMany } = await spied();
    const key = keyOf({ noun: 'node', id: beating.id });
    await beating.beat();
    const { body, ...row } = (await there.table.read(key))!;
    const old = { ...row, body: { ...(body as Node), seq: (body as Node).seq + ahead - 1 } };
    const { incarnation, seq } = body as Node;
    const sent = {
      id: 'a captured beat',
      incarnation,
      seq,
      load: { load1: 0, load5: 0, load15: 0, memoryUsedMib: 1, memoryMib: 2, systems: 0 },
    };
    const target = `/nodes/${beating.id}/heartbeat`;
    const headers = signedIn(there, { method: 'POST', target, body: sent }, beating.keys);
    await beating.rotate(keyPairOf('another key'));
    await beating.beat();
    there.table.readMany = async (keys, how) =>
      (await readMany(keys, how)).map((one) => (how === 'lately' && one?.key.pk === key.pk && one.key.sk === 'node' ? old : one));

    expect(await there.call('POST', target, sent, headers)).toMatchObject({
      status: 401,
      body: { type: 'urn:muster:problem:signature-invalid' },
    });
  });

  it('of a node that is quarantined is told so, and when to come again, and renews its lease without a message', async () => {
    const { there, beating, readMany } = await spied();
    const key = keyOf({ noun: 'node', id: beating.id });
    const row = async () => (await there.table.read(key))!;
    const copy = new Agent(there, 'node1.acme.org');
    copy.boot = 2;
    for (let i = 0; i < 2; i++) {
      await copy.up();
      await there.step(2 * secondMs);
    }
    expect((await copy.beat()).status).toBe(200);
    const old = await row();
    await beating.up();
    await there.step(5 * secondMs);
    await beating.up();
    await there.step(5 * secondMs);
    const before = (await row()).body as Node & { leaseUntil: number };
    expect(before).toMatchObject({ status: 'quarantined', reason: 'clone' });

    const told = { status: 409, body: { type: 'urn:muster:problem:quarantined' }, headers: { 'retry-after': '10' } };
    expect(await copy.beat()).toMatchObject(told);
    const after = (await row()).body as Node & { leaseUntil: number };
    expect(after).toMatchObject({ status: 'quarantined', heardAt: there.now(), seq: copy.seq });
    expect(after.leaseUntil).toBeGreaterThan(before.leaseUntil);
    expect((await there.queue.depth('heartbeats')).messages).toBe(0);

    // A moment ago nobody knew of the other machine yet.
    there.table.readMany = async (keys, how) =>
      (await readMany(keys, how)).map((one) => (how === 'lately' && one?.key.pk === key.pk && one.key.sk === 'node' ? old : one));
    await there.step(secondMs);
    expect(await copy.beat()).toMatchObject(told);
    expect((await row()).body).toMatchObject({ status: 'quarantined', heardAt: there.now(), seq: copy.seq });
  });
});

describe('a node that leaves', () => {
  it.each([
    { until: 'is over', ms: -1 },
    { until: 'is now', ms: 0 },
    { until: 'is 31 days away', ms: 31 * dayMs },
    { until: 'no date can say', ms: Number.MAX_SAFE_INTEGER - Date.UTC(2030) },
  ])('until a moment that $until is refused, by its own door and by the operator’s', async ({ ms }) => {
    await node.start();
    const untilMs = world.now() + ms;

    expect(await node.leave('hold', untilMs)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/untilMs' }] } });
    if (ms < 100 * dayMs)
      expect(
        await world.call('POST', `/api/v1/nodes/${node.id}/leave`, { mode: 'hold', until: new Date(untilMs).toISOString() }),
      ).toMatchObject({ status: 422, body: { errors: [{ pointer: '/until' }] } });

    await world.step(5_000);
    expect(await rowOf(node)).toMatchObject({ status: 'up' });
    expect((await world.call('GET', '/api/v1/nodes')).status).toBe(200);
  });
});

describe('a node that is edited', () => {
  it('is as it is for the same reason as before, also once the plan of its zone has taken it in', async () => {
    await node.start();
    await world.step(5_000);
    await world.call('POST', `/api/v1/nodes/${node.id}/drop`, {});
    node.fallSilent();
    await world.step(5_000);
    const at = `/api/v1/nodes/${node.id}`;
    const reason = { because: 'an operator gave it up' };
    expect(await world.call('GET', at)).toMatchObject({ body: { status: 'dropped', ...reason } });

    expect(await world.call('PATCH', at, { labels: { rack: '7' } })).toMatchObject({ status: 200, body: reason });

    const why = await world.call('GET', `/api/v1/explain/node/${node.id}`);
    expect(why).toMatchObject({ body: reason });
    expect((why.body as { also: unknown[] }).also).toContainEqual(expect.objectContaining({ because: 'edited by an operator' }));
    await world.step(5_000);
    expect(await world.call('GET', at)).toMatchObject({ body: reason });
  });

  it('is as it is for the same reason while the plan of its zone follows', async () => {
    await node.start();
    await downAndUp();
    const at = `/api/v1/nodes/${node.id}`;
    const { because } = (await world.call('GET', at)).body as { because: string };
    expect(because).toMatch(/^not heard since/);

    await world.call('PATCH', at, { weight: 2 });
    await world.step(5_000);

    expect(await rowOf(node)).not.toHaveProperty('awaitsPlan');
    expect(await world.call('GET', at)).toMatchObject({ body: { status: 'down', weight: 2, because } });
  });
});
