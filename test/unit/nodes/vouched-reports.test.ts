import { beforeEach, describe, expect, it } from 'vitest';
import { ZoneName } from '../../../lib/core/ids.ts';
import { type Rights, rightsOf } from '../../../lib/identity/rights.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { DeadLetter } from '../../../lib/runtime/dead-letter.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { Voucher } from '../../support/a-voucher.ts';
import { aKey, showing } from '../../support/callers.ts';

const fqdn = 'node1.acme.org';
let world: World;
let agent: Agent;
let voucher: Voucher;
beforeEach(async () => {
  world = await stepped();
  agent = new Agent(world, fqdn);
  await agent.join();
  voucher = new Voucher(world, agent.id, fqdn);
});

const row = async () => (await world.table.read(keyOf({ noun: 'node', id: agent.id })))!;
const node = async (): Promise<Node> => (await row()).body as Node;
const vouchedFor = (vouched = true) => world.call('PATCH', `/api/v1/nodes/${fqdn}`, { vouched });
const dead = () =>
  [...world.table.rows.values()].flatMap(({ key, body }) => (key.pk.startsWith('dead') ? [(body as DeadLetter).last.code] : []));
const keyWith = async (rights: Rights) => showing((await aKey(world.environment('admin'), rights)).text);

/** Up by the bus, as far as a sender can tell. */
async function comesUp(): Promise<void> {
  await vouchedFor();
  await voucher.byBus(voucher.up());
  await world.step(1_000);
  voucher.listen();
  await voucher.byBus(voucher.ready());
  await world.step(1_000);
}

describe('a node that is vouched for by the ingest bus', () => {
  it('comes up by what events tell the sender, and the audit names who vouched', async () => {
    await comesUp();
    await voucher.byBus(voucher.beat());
    await world.step(0);

    expect(await node()).toMatchObject({ status: 'up', incarnation: 1, vouched: true, heardAt: world.now() });
    expect((await row()).because).toBe('heartbeat 2 renewed its lease; bus:watchtower vouches for it');
    const { body } = await world.call('GET', '/api/v1/audit?zone=default');
    expect(JSON.stringify(body)).toContain('"who":"bus:watchtower"');
  });

  it('counts from when the bus took the report, and never from later', async () => {
    await comesUp();
    const at = world.now() - 20_000;
    const before = await node();
    await voucher.byBus(voucher.beat(), { at });
    await world.step(0);
    expect(await node()).toMatchObject({ heardAt: (before as { heardAt?: number }).heardAt });

    await voucher.byBus(voucher.beat(), { at: world.now() + 3_600_000 });
    await world.step(0);
    expect(await node()).toMatchObject({ heardAt: world.now() });
  });

  it('is not revived from a backlog: what is older than a lease is counted, and acknowledged', async () => {
    await comesUp();
    const at = world.now();
    await world.step(10 * 60_000);
    const { status } = await node();
    await voucher.byBus(voucher.beat(), { at });
    await voucher.byBus(voucher.up(), { at });
    await world.step(0);

    expect((await node()).status).toBe(status);
    expect(status).not.toBe('up');
    expect(world.logged.map(({ code }) => code)).toContain('heartbeat.late');
    expect(dead()).toEqual([]);
  });

  it('is not spoken for by a sender of another zone, nor before an administrator has said so', async () => {
    await voucher.byBus(voucher.up());
    await world.step(0);
    await vouchedFor();
    await voucher.byBus(voucher.up(), { zone: 'other' });
    await world.step(0);
    expect(await node()).toMatchObject({ status: 'absent', incarnation: 0 });
    expect(await world.table.read(keyOf({ noun: 'host', id: agent.id }))).toBeUndefined();
  });

  it('keeps the facts of its host that the newest node-up has, however late an older one comes again', async () => {
    await comesUp();
    const [older, newer] = [voucher.up(), voucher.up()];
    const at = (address: string, up: typeof older) => ({ ...up, data: { ...up.data, facts: { ...up.data.facts, address } } });
    for (const up of [at('192.0.2.8', newer), at('192.0.2.7', older)]) {
      await voucher.byBus(up);
      await world.step(1_000);
    }
    expect((await world.table.read(keyOf({ noun: 'host', id: agent.id })))!.body).toMatchObject({ address: '192.0.2.8' });
  });

  it('makes a dead letter of what nobody may vouch for', async () => {
    await voucher.byBus({ type: 'node.table' });
    await voucher.byBus({ ...voucher.up(), seq: undefined } as never);
    await voucher.byBus(voucher.up(), { queue: 'heartbeats' });
    await world.queue.sendFromBus('heartbeats', JSON.stringify(voucher.beat()));
    await world.queue.sendFromBus('reports', JSON.stringify({ ...voucher.up(), vouched: { by: 'watchtower', zone: 'default' } }));
    await world.step(0);

    expect(dead().sort()).toEqual(['not-from-bus', 'not-from-bus', 'not-from-bus', 'unknown-type', 'wrong-shape']);
  });
});

describe('the agent of a node that is vouched for', () => {
  it('is told so, and speaks again once an administrator has said that', async () => {
    await comesUp();
    const refused = { status: 409, body: { type: 'urn:muster:problem:vouched-for' } };
    expect(await agent.up()).toMatchObject({ ...refused, headers: { 'retry-after': '10' } });
    await vouchedFor(false);
    await agent.up();
    await world.step(0);
    expect(await agent.up()).toMatchObject({ status: 200, body: { acknowledged: true, incarnation: 3 } });
  });
});

describe('who says that a node is vouched for', () => {
  it('is an administrator of its zone, not whoever operates it', async () => {
    const patch = async (rights: Rights) =>
      (await world.call('PATCH', `/api/v1/nodes/${fqdn}`, { vouched: true }, await keyWith(rights))).status;
    expect(await patch(rightsOf(['operate', 'report'], 'all'))).toBe(403);
    expect(await patch({ operate: 'all', admin: [ZoneName.parse('elsewhere')] })).toBe(403);
    expect(await node()).not.toHaveProperty('vouched');
    expect(await patch(rightsOf(['admin'], [ZoneName.parse('default')]))).toBe(200);
  });

  it('cannot say it of a node where Muster has something run', async () => {
    await agent.start();
    await world.call('POST', '/api/v1/zones/default/services/statistics/start', { node: fqdn });
    expect(await vouchedFor()).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:refused' } });
  });

  it('has nothing started there from then on', async () => {
    await agent.start();
    await vouchedFor();
    const refused = {
      status: 409,
      body: { detail: expect.stringMatching('another system vouches for node1.acme.org: services run only') },
    };
    expect(await world.call('POST', '/api/v1/zones/default/services/statistics/start', { node: fqdn })).toMatchObject(refused);
    expect(await node()).not.toHaveProperty('services');
  });

  it('is told so wherever an operator looks', async () => {
    await vouchedFor();
    await voucher.byBus(voucher.up());
    await world.step(1_000);
    const { body } = await world.call('GET', `/api/v1/explain/node/${fqdn}`);
    const because = expect.stringMatching(/^another system vouches for its life.*node-up 1 was the last/);
    expect((body as { also: unknown[] }).also).toContainEqual(expect.objectContaining({ subject: 'it is vouched for', because }));
    await vouchedFor(false);
    expect((await row()).because).toBe('an administrator ended the vouching of another system; its agent must send a node-up');
  });
});

describe('reports by the API', () => {
  it('bring a node up, as the bus does', async () => {
    await vouchedFor();
    const sender = await keyWith(rightsOf(['report'], [ZoneName.parse('default')]));
    expect(await voucher.byApi([voucher.up()], sender)).toMatchObject({ status: 202, body: { accepted: 1, nextMs: 10_000 } });
    await world.step(1_000);
    voucher.listen();
    expect(await voucher.byApi([voucher.ready(), voucher.beat()], sender)).toMatchObject({ status: 202, body: { accepted: 2 } });
    await world.step(1_000);
    expect(await node()).toMatchObject({ status: 'up', incarnation: 1 });
  });

  it('that would do nothing are refused, as the agent of the node would be', async () => {
    await comesUp();
    const told = async (report: object) => {
      const { status, body } = await voucher.byApi([report]);
      return [status, (body as { type?: string }).type?.replace('urn:muster:problem:', ''), (body as { detail?: string }).detail];
    };
    expect(await told({ ...voucher.beat(), incarnation: 2 })).toEqual([
      ...[409, 'send-node-up', `${fqdn}: incarnation 2 is not the acknowledged one, 1: send node-up`],
    ]);
    const up = voucher.up();
    expect((await told(up))[0]).toBe(202);
    await world.step(1_000);
    expect((await told(up))[0]).toBe(202);
    expect((await voucher.byApi([{ ...up, seq: 0 }])).body).toMatchObject({
      type: 'urn:muster:problem:refused',
      errors: [{ pointer: '/0/seq' }],
    });

    await world.call('POST', `/api/v1/nodes/${fqdn}/drop`, { overrule: [] });
    await world.step(60_000);
    expect((await told(voucher.beat())).slice(0, 2)).toEqual([409, 'must-rejoin']);
    expect((await told(voucher.up())).slice(0, 2)).toEqual([409, 'must-rejoin']);
    expect((await told(voucher.up({ flushed: (await node()).generation })))[0]).toBe(202);
  });

  it('are taken from whoever has the longest name there may be', async () => {
    await vouchedFor();
    const by = `admin:${'\u{1F600}'.repeat(128)}`;
    await world.queue.send(
      'reports',
      JSON.stringify({ ...voucher.up(), receivedAt: world.now(), intervalMs: 10_000, vouched: { by, zone: 'default' } }),
    );
    await world.step(1_000);
    expect(dead()).toEqual([]);
    expect(await node()).toMatchObject({ incarnation: 1 });
  });

  it('count heartbeats from 1', async () => {
    await comesUp();
    expect(await voucher.byApi([{ ...voucher.beat(), seq: 0 }])).toMatchObject({ status: 422, body: { errors: [{ pointer: '/0/seq' }] } });
  });

  it('that come again change nothing', async () => {
    await vouchedFor();
    const up = voucher.up();
    await voucher.byApi([up]);
    await world.step(1_000);
    await voucher.byApi([up]);
    await world.step(1_000);
    expect(await node()).toMatchObject({ incarnation: 1 });
  });

  it('of a node that is not there for the caller are refused as of none, all of them', async () => {
    await vouchedFor();
    const stranger = await keyWith(rightsOf(['report'], [ZoneName.parse('elsewhere')]));
    const answer = await voucher.byApi([voucher.up()], stranger);
    expect(answer).toMatchObject({ status: 404, body: { type: 'urn:muster:problem:unknown-node', errors: [{ pointer: '/0/node' }] } });
    expect((await world.queue.depth('reports')).messages).toBe(0);
  });

  it('of the life of a node need an administrator who has said so, all others only the scope', async () => {
    const sender = await keyWith(rightsOf(['report'], 'all'));
    expect(await voucher.byApi([voucher.up()], sender)).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:refused' } });
    const leaving = { type: 'node.leaving', version: 1, id: 'patch-tuesday', node: agent.id, data: { mode: 'hold' } };
    expect(await voucher.byApi([leaving], sender)).toMatchObject({ status: 202 });
    expect(await voucher.byApi([leaving], await keyWith(rightsOf(['operate', 'admin'], 'all')))).toMatchObject({ status: 403 });
  });
});
