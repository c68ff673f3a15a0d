import { beforeEach, describe, expect, it } from 'vitest';
import { write } from '../../../lib/core/decision.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { aClient, fpOf } from '../../../tools/support/builders.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aKey, showing } from '../../support/callers.ts';

const emea = ZoneName.parse('emea');
let world: World;
beforeEach(async () => {
  world = await stepped();
});

const create = (body: object = { name: 'emea' }) => world.call('POST', '/api/v1/zones', body);
const remove = (zone: string = emea) => world.call('POST', `/api/v1/zones/${zone}/delete`, {});
const zone = (name: string = emea) => world.call('GET', `/api/v1/zones/${name}`);
const refusal = ({ status, body }: { status: number; body: unknown }) => [status, (body as { detail: string }).detail];
const published = (type: string) => world.bus.published.filter((one) => one.type === type).map(({ subject, data }) => ({ subject, data }));

/** A node that is up in a zone. */
async function aNodeOf(name: string, fqdn: string): Promise<Agent> {
  const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: fqdn, zone: name, kind: 'salt' });
  const node = await new Agent(world, fqdn).start({ token: (body as { secret: string }).secret });
  await world.step(10_000);
  return node;
}

describe('a node of a former zone of the same name', () => {
  const indexOf = async (agent: Agent) => {
    const row = await world.environment('sweep').table.read(keyOf({ noun: 'node', id: agent.id }));
    return (row!.body as { status: string; index?: number; zone: string }).index;
  };

  it('comes back as a new member, beside the one that has its index now', async () => {
    await create();
    const former = await aNodeOf('emea', 'node1.acme.org');
    expect(await indexOf(former)).toBe(0);
    former.fallSilent();
    expect((await world.call('POST', `/api/v1/nodes/${former.id}/remove`, {})).status).toBe(202);
    await world.step(minuteMs);
    expect((await remove()).status).toBe(200);
    await create();
    const other = await aNodeOf('emea', 'node2.acme.org');
    expect(await world.call('POST', '/api/v1/node-pool/admit', { hosts: ['node1.acme.org'] })).toMatchObject({
      body: { results: [{ done: true }] },
    });
    former.boot += 1;
    await former.up(1);
    await world.step(0);
    await former.up(1);
    await former.say('node.ready');
    former.beats();
    await world.step(minuteMs);

    expect([await indexOf(other), await indexOf(former)]).toEqual([0, 1]);
    expect((await zone()).body).toMatchObject({ map: { nodes: [{ fqdn: 'node2.acme.org' }, { fqdn: 'node1.acme.org' }] } });
  });
});

describe('a zone that is made', () => {
  it('is there at once, as it was asked for, with a number of its own, and is announced', async () => {
    expect(await create({ name: 'emea', kind: 'storage', remapAfterMs: 600_000 })).toMatchObject({
      status: 201,
      body: { name: 'emea', number: 2, kind: 'storage', remapAfterMs: 600_000, map: { slots: 1024, unowned: 1024, nodes: [] } },
    });
    expect((await zone()).status).toBe(200);
    await world.step(0);
    expect(published('zone.created')).toEqual([{ subject: 'zone/emea', data: { zone: 'emea', number: 2, kind: 'storage' } }]);
  });

  it('is made once: again it is answered as it is, and refused when it is to be otherwise', async () => {
    await create();
    expect(await create()).toMatchObject({ status: 200, body: { number: 2, kind: 'management' } });
    expect(refusal(await create({ name: 'emea', kind: 'storage' }))).toEqual([409, 'zone emea already exists, and its kind is management']);
    expect(await create({ name: 'apac' })).toMatchObject({ status: 201, body: { number: 3 } });
    await world.step(0);
    expect(published('zone.created')).toHaveLength(2);
  });

  it('is one when it is asked for twice at the same moment', async () => {
    const replies = await Promise.all([create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(replies.map(({ body }) => (body as { number: number }).number)).toEqual([2, 2]);
  });

  it('has nodes and client systems of its own', async () => {
    await create();
    await aNodeOf('emea', 'node1.acme.org');
    const [here, there] = [new Daemon(world, 'web1.acme.org'), new Daemon(world, 'web2.acme.org')];
    for (const daemon of [here, there]) await daemon.knock();
    await world.call('POST', '/api/v1/systems/accept', { systems: [here.fp], zone: 'emea' });
    await world.call('POST', '/api/v1/systems/accept', { systems: [there.fp] });
    for (const daemon of [here, there]) await daemon.knock();
    expect((await here.orphan()).body).toBe('node1.acme.org');
    // The only node there is belongs to the other zone.
    expect((await there.orphan()).status).toBe(204);
    const moved = await world.call('POST', '/api/v1/systems/accept', { systems: [there.fp], zone: 'emea' });
    expect(moved.body).toEqual({
      results: [{ fp: there.fp, done: false, because: 'already accepted into zone default: a client system cannot change zones' }],
    });
  });

  it('is refused to whoever is limited to zones', async () => {
    const limited = showing((await aKey(world.environment('admin'), rightsOf(['admin'], [emea]))).text);
    expect((await world.call('POST', '/api/v1/zones', { name: 'emea' }, limited)).status).toBe(403);
    await create();
    expect((await world.call('POST', '/api/v1/zones/emea/delete', {}, limited)).status).toBe(403);
  });
});

describe('a zone that is deleted', () => {
  it('is not there any more, is announced, and leaves its number to nobody', async () => {
    await create();
    expect(await remove()).toMatchObject({ status: 200, body: { done: true, because: 'zone emea deleted' } });
    expect((await zone()).status).toBe(404);
    expect((await remove()).status).toBe(404);
    expect((await world.call('GET', '/api/v1/zones')).body).toMatchObject({ items: [{ name: 'default' }] });
    await world.step(0);
    expect(published('zone.deleted')).toEqual([{ subject: 'zone/emea', data: { zone: 'emea', number: 2 } }]);

    expect(await create()).toMatchObject({ status: 201, body: { number: 3, map: { nodes: [] } } });
    const { events } = (await world.table.read(keyOf({ noun: 'zone', id: 'emea' })))!;
    expect(events).toMatchObject([{ type: 'zone.created', seq: 3 }]);
  });

  it('leaves nothing of itself to one that is made under its name', async () => {
    await create({ name: 'emea', remapAfterMs: 1_000 });
    await world.call('PATCH', '/api/v1/zones/emea', { unsignedClients: true });
    const type = '/api/v1/zones/emea/service-types/web';
    expect((await world.call('PUT', type, { start: ['web'] })).status).toBe(200);
    const node = await aNodeOf('emea', 'node1.acme.org');
    expect((await zone()).body).toMatchObject({ map: { unowned: 0, nodes: [{ standing: 'up' }] } });
    await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
    await world.step(minuteMs);
    expect((await remove()).status).toBe(200);

    await create();
    expect((await zone()).body).toMatchObject({ number: 3, remapAfterMs: 0, unsignedClients: false, map: { unowned: 1024, nodes: [] } });
    expect((await world.call('GET', type)).status).toBe(404);
    await aNodeOf('emea', 'node2.acme.org');
    expect((await zone()).body).toMatchObject({ map: { unowned: 0, nodes: [{ fqdn: 'node2.acme.org', standing: 'up' }] } });
    // Whose zone is gone is told so, and does not slip into the one that has its name by being admitted again.
    expect((await node.up(1)).status).not.toBe(200);
  });

  it('is refused while anything is in it, which is named', async () => {
    await create();
    const token = await world.call('POST', '/api/v1/node-tokens', { nodes: 'node1.acme.org', zone: 'emea', kind: 'salt' });
    await world.call('POST', '/api/v1/onboarding-tokens', { zone: 'emea' });
    await world.call('POST', '/api/v1/admission-rules', { name: 'racks', nodes: 'rack*.acme.org', zone: 'emea' });
    await world.call('POST', '/api/v1/keys', { name: 'tickets', scopes: ['read'], zones: ['emea'] });
    expect(refusal(await remove())).toEqual([
      409,
      'zone emea is not empty: it has 1 join token, 1 onboarding token, 1 admission rule, 1 API key',
    ]);
    const host = new Agent(world, 'node1.acme.org');
    await host.join({ token: (token.body as { secret: string }).secret });
    const daemon = new Daemon(world, 'web1.acme.org');
    await daemon.knock();
    await world.call('POST', '/api/v1/systems/accept', { systems: [daemon.fp], zone: 'emea' });
    expect(refusal(await remove())[1]).toBe(
      'zone emea is not empty: it has 1 node, 1 client system, 1 onboarding token, 1 admission rule, 1 API key',
    );
    expect((await zone()).body).not.toHaveProperty('deletingSince');
  });

  it('is never the one that is there from the first start', async () => {
    expect(refusal(await remove('default'))[0]).toBe(409);
    expect((await remove('nowhere')).status).toBe(404);
  });

  it('goes on where a deletion died', async () => {
    await create();
    const admin = world.environment('admin');
    const { sleep } = admin;
    Object.assign(admin, { sleep: () => Promise.reject(new Error('killed')) });
    expect((await remove()).status).toBe(500);
    Object.assign(admin, { sleep });
    expect((await zone()).body).toHaveProperty('deletingSince');
    expect(refusal(await create())).toEqual([
      409,
      'zone emea is being deleted: nothing can enter it; delete it again to finish the deletion',
    ]);
    expect((await remove()).status).toBe(200);
    expect((await create()).status).toBe(201);
  });

  it('lets a caller limited to it see nothing, and whoever has a token of it nothing of the next one', async () => {
    await create();
    const limited = showing((await aKey(world.environment('admin'), rightsOf(['read'], [emea, ZoneName.parse('never')]))).text);
    const seen = async () => ((await world.call('GET', '/api/v1/zones', undefined, limited)).body as { items: { name: string }[] }).items;
    expect((await seen()).map(({ name }) => name)).toEqual(['emea']);
  });
});

/** Runs something right before the first commit of one function's environment that stores a row of some noun. */
function rightBefore(name: string, noun: string, somebody: () => Promise<unknown>): void {
  const { table } = world.environment(name) as { table: { commit: Shell['table']['commit'] } };
  const { commit } = table;
  table.commit = async (changes) => {
    if (changes.some((change) => 'put' in change && change.put.key.sk === noun)) {
      table.commit = commit;
      await somebody();
    }
    await commit(changes);
  };
}

const gone = expect.stringMatching(/zone emea|is called emea/);

describe('a zone that is deleted while something comes into it', () => {
  beforeEach(async () => {
    await create();
  });

  /** A deletion to which the index does not show yet what would keep the zone. */
  async function deletedUnseen(): Promise<void> {
    const { table } = world.environment('admin');
    const { queryIndex } = table;
    Object.assign(table, { queryIndex: async () => ({ items: [] }) });
    expect((await remove()).status).toBe(200);
    Object.assign(table, { queryIndex });
  }
  const node = () => new Agent(world, 'node1.acme.org');
  const stored = () => world.table.read(keyOf({ noun: 'node', id: node().id }));

  it('has no node that a token lets in, and the token is not used', async () => {
    const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: 'node1.acme.org', zone: 'emea', kind: 'salt' });
    const { secret, token } = body as { secret: string; token: { id: string } };
    rightBefore('node-door', 'node', deletedUnseen);
    expect((await node().join({ token: secret })).status).toBe(401);
    expect(await stored()).toBeUndefined();
    expect((await world.table.read(keyOf({ noun: 'join-token', id: token.id })))!.body).toMatchObject({ admitted: [] });
  });

  it('has no node that an operator let in', async () => {
    await node().join({ zone: 'emea' });
    expect((await world.call('POST', '/api/v1/node-pool/admit', { hosts: ['node1.acme.org'], zone: 'emea' })).body).toMatchObject({
      results: [{ done: true }],
    });
    rightBefore('node-door', 'node', deletedUnseen);
    expect((await node().join({})).status).toBe(202);
    expect(await stored()).toBeUndefined();
  });

  it('has no node that a rule lets in', async () => {
    await world.call('POST', '/api/v1/admission-rules', { name: 'emea', nodes: '*.acme.org', zone: 'emea' });
    rightBefore('node-door', 'node', async () => {
      await world.call('POST', '/api/v1/admission-rules/emea/delete', {});
      await deletedUnseen();
    });
    expect((await node().join({ zone: 'emea' })).status).toBe(202);
    expect(await stored()).toBeUndefined();
  });

  it('takes no host out of the pool', async () => {
    await node().join({ zone: 'emea' });
    rightBefore('admin', 'pooled-host', deletedUnseen);
    expect((await world.call('POST', '/api/v1/node-pool/admit', { hosts: ['node1.acme.org'], zone: 'emea' })).body).toMatchObject({
      results: [{ done: false, because: 'it asks for zone emea, which does not exist: name another' }],
    });
  });

  it('has no client system that an operator accepts, nor one that brings a token', async () => {
    const { body } = await world.call('POST', '/api/v1/onboarding-tokens', { zone: 'emea' });
    const { secret, token } = body as { secret: string; token: { id: string } };
    const [waits, brings] = [new Daemon(world, 'web1.acme.org'), new Daemon(world, 'web2.acme.org')];
    await waits.knock();
    const admin = world.environment('admin');
    const { sleep } = admin;
    // The gate is shut: what comes between that and the end is turned away.
    Object.assign(admin, {
      sleep: async () => {
        expect(await world.call('POST', '/api/v1/systems/accept', { systems: [waits.fp], zone: 'emea' })).toMatchObject({
          status: 404,
          body: { detail: gone },
        });
        await brings.knock({ token: secret });
        expect((await world.call('POST', '/api/v1/onboarding-tokens', { zone: 'emea' })).status).toBe(404);
        expect((await world.call('POST', '/api/v1/node-tokens', { nodes: 'n.acme.org', zone: 'emea' })).status).toBe(404);
        expect((await world.call('POST', '/api/v1/admission-rules', { name: 'r', nodes: 'n.acme.org', zone: 'emea' })).status).toBe(404);
      },
    });
    await world.call('POST', `/api/v1/onboarding-tokens/${token.id}/revoke`, {});
    expect((await remove()).status).toBe(200);
    Object.assign(admin, { sleep });
    for (const { fp } of [waits, brings])
      expect(((await world.table.read(keyOf({ noun: 'client', id: fp })))!.body as { standing: string }).standing).toBe('pooled');
  });

  it('stays when something came in just before its gate was shut', async () => {
    const admin = world.environment('admin');
    const { sleep } = admin;
    const fp = fpOf('web1');
    Object.assign(admin, {
      sleep: async () =>
        void (await applyPlan(world.environment('sweep'), { id: 'late' }, async () => ({
          because: ['its commit came first, and the index later'],
          changes: [{ ref: { noun: 'client', id: fp }, readRev: 0, decision: write(aClient({ fp, zone: emea }), 'accepted') }],
        }))),
    });
    expect(refusal(await remove())).toEqual([409, 'zone emea is not empty: it has 1 client system']);
    Object.assign(admin, { sleep });
    expect((await zone()).body).not.toHaveProperty('deletingSince');
    expect((await world.call('POST', '/api/v1/node-tokens', { nodes: 'node1.acme.org', zone: 'emea' })).status).toBe(201);
  });
});
