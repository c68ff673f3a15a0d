import { describe, expect, it } from 'vitest';
import { minuteMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { ZoneView } from '../../../lib/zones/routes.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World, type WorldOptions } from '../../../tools/support/stepped.ts';

const everyone = ['web1', 'web2', 'web3', 'web4', 'web5', 'web6', 'web7', 'web8'].map((name) => `${name}.acme.org`);

/** Two nodes and eight client systems, each onboarded, in a zone of this mode. */
async function twoNodes(zone: object = { mode: 'recovery', meanwhile: 'hold' }, options: WorldOptions = {}) {
  const world = await stepped({ zoneMaxAgeMs: 0, countEveryMs: 10_000, ...options });
  const [node1, node2] = [await new Agent(world, 'node1.acme.org').start(), await new Agent(world, 'node2.acme.org').start()];
  const clients: Daemon[] = [];
  for (const fqdn of everyone) clients.push(await new Daemon(world, fqdn).onboarded());
  await world.step(minuteMs);
  await world.call('PATCH', '/api/v1/zones/default', zone);
  return { world, node1, node2, clients, places: await placesOf(world, clients) };
}

/** By client, the node that it was told. */
async function placesOf(world: World, clients: readonly Daemon[]): Promise<Record<string, string>> {
  const views = await Promise.all(clients.map(async ({ fp }) => (await world.call('GET', `/api/v1/systems/${fp}`)).body));
  return Object.fromEntries((views as { fqdn: string; node?: { fqdn: string } }[]).map(({ fqdn, node }) => [fqdn, node?.fqdn ?? 'none']));
}

const zoneOf = async (world: World) => (await world.call('GET', '/api/v1/zones/default')).body as ZoneView;
const standings = async (world: World) => Object.fromEntries((await zoneOf(world)).map.nodes.map(({ fqdn, standing }) => [fqdn, standing]));
const replace = (world: World, old: string, by: string, force = false) => world.call('POST', `/api/v1/nodes/${old}/replace`, { by, force });
const nodeRow = async (world: World, { id }: Agent) =>
  (await world.table.read(keyOf({ noun: 'node', id })))!.body as Record<string, unknown>;
const done = { status: 202, body: { done: true } };
const refused = (detail: RegExp) => ({ status: 409, body: { type: 'urn:muster:problem:refused', detail: expect.stringMatching(detail) } });

/** It does not hear its node: it knocks, is told a node, and confirms it. */
async function comeTo(client: Daemon): Promise<string> {
  await client.knock({ lost: true });
  const { status, body } = await client.orphan();
  if (status !== 200) return `${status}`;
  await client.knock({ confirmed: body });
  return `${body} ${(await client.status()).body}`;
}

describe('a node that is down, replaced by one that waits without client systems', () => {
  it('hands its slots over once the other is ready, and nobody else moves', async () => {
    const { world, node1, clients, places } = await twoNodes();
    const node3 = await new Agent(world, 'node3.acme.org').start();
    node1.fallSilent();
    await world.step(2 * minuteMs);
    const map = (await zoneOf(world)).map;

    expect(await replace(world, node1.fqdn, node3.fqdn)).toMatchObject(done);
    await world.step(10_000);

    expect(await standings(world)).toEqual({ 'node2.acme.org': 'up', 'node3.acme.org': 'up' });
    expect(await nodeRow(world, node3)).toMatchObject({ status: 'up', index: 0, generation: 2 });
    expect(await nodeRow(world, node1)).toMatchObject({ status: 'dropped', planned: false, replacedBy: { node: node3.id } });
    expect(await nodeRow(world, node1)).not.toHaveProperty('index');
    expect(await node3.beat()).toMatchObject({ status: 200, body: { generation: 2 } });
    const after = (await zoneOf(world)).map;
    expect(after.version).toBe(map.version);
    for (const client of clients) {
      const was = places[client.fqdn];
      if (was === 'node2.acme.org') expect((await client.status()).body).toBe('1');
      else expect(await comeTo(client)).toBe('node3.acme.org 1');
    }
    expect(Object.values(places)).toContain('node1.acme.org');
  });

  it('keeps its home while the other is not ready, and is out from the first moment', async () => {
    const { world, node1, clients, places } = await twoNodes();
    node1.fallSilent();
    await world.step(2 * minuteMs);
    const node3 = new Agent(world, 'node3.acme.org');
    await node3.join();
    await node3.up();
    await world.step(10_000);
    await node3.up();
    node3.beats();

    expect(await replace(world, node1.fqdn, node3.fqdn)).toMatchObject(done);
    expect((await node1.up()).status).toBe(410);
    expect((await node1.beat()).status).toBe(410);
    await world.step(35 * minuteMs);
    expect(await standings(world)).toMatchObject({ 'node1.acme.org': 'down', 'node3.acme.org': 'joining' });
    const mine = clients.filter(({ fqdn }) => places[fqdn] === 'node1.acme.org');
    for (const client of mine) expect((await client.status()).body).toBe('1');

    await node3.say('node.ready');
    await world.step(10_000);
    for (const client of mine) expect(await comeTo(client)).toBe('node3.acme.org 1');
    expect((await node1.up()).status).toBe(410);
  });

  it('does nothing twice, and says what was done', async () => {
    const { world, node1 } = await twoNodes();
    const node3 = await new Agent(world, 'node3.acme.org').start();
    node1.fallSilent();
    await world.step(2 * minuteMs);
    await replace(world, node1.fqdn, node3.fqdn);
    expect(await replace(world, node1.fqdn, node3.fqdn)).toMatchObject({ status: 202, body: { done: false } });
    await world.step(10_000);
    const [row, head] = [await nodeRow(world, node3), await zoneOf(world)];

    expect(await replace(world, node1.id, node3.id)).toMatchObject({
      body: { done: false, because: `node ${node3.id} has taken its place already` },
    });
    await world.step(minuteMs);
    expect(await nodeRow(world, node3)).toMatchObject({ index: row['index'], generation: row['generation'] });
    expect((await zoneOf(world)).version).toBe(head.version);
    const history = (await world.call('GET', `/api/v1/history/node/${node1.id}`)).body as { items: { type: string; data: object }[] };
    expect(history.items.filter(({ type }) => type === 'node.replaced')).toMatchObject([
      { data: { by: node3.id, byFqdn: 'node3.acme.org', index: 0, planned: false } },
    ]);
  });

  it('gets the home of the lost one in production mode, too, which has not waited', async () => {
    const { world, node1, clients, places } = await twoNodes({ mode: 'production', remapAfterMs: 0 });
    const before = (await zoneOf(world)).map.nodes.find(({ fqdn }) => fqdn === 'node1.acme.org')!.slots;
    node1.fallSilent();
    await world.step(2 * minuteMs);
    const node3 = new Agent(world, 'node3.acme.org');
    await node3.join();
    await replace(world, node1.fqdn, node3.fqdn);
    await node3.start();
    await world.step(10_000);

    expect((await zoneOf(world)).map.nodes.find(({ fqdn }) => fqdn === 'node3.acme.org')).toMatchObject({ standing: 'up', slots: before });
    for (const client of clients.filter(({ fqdn }) => places[fqdn] === 'node1.acme.org'))
      expect(await comeTo(client)).toBe('node3.acme.org 1');
  });
});

describe('a machine of the same name', () => {
  it('is refused, waits in the pool meanwhile, and takes the place by its fingerprint or by the name', async () => {
    const { world, node1, clients, places } = await twoNodes();
    node1.fallSilent();
    await world.step(2 * minuteMs);
    const again = new Agent(world, node1.fqdn, 'another key');
    expect(await again.join()).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:fqdn-in-use' } });
    expect((await world.call('GET', '/api/v1/node-pool')).body).toMatchObject({ items: [{ fqdn: node1.fqdn, standing: 'waiting' }] });

    expect(await replace(world, node1.fqdn, node1.fqdn)).toMatchObject(done);
    await again.start();
    await world.step(10_000);

    expect(await nodeRow(world, again)).toMatchObject({ status: 'up', index: 0, generation: 2 });
    expect((await world.call('GET', '/api/v1/nodes/node1.acme.org')).body).toMatchObject({ id: again.id });
    for (const client of clients.filter(({ fqdn }) => places[fqdn] === 'node1.acme.org'))
      expect(await comeTo(client)).toBe('node1.acme.org 1');
    expect((await node1.up()).status).toBe(410);
  });

  it('takes no place of a node that is up, also by force: one name is not two machines', async () => {
    const { world, node1 } = await twoNodes();
    const again = new Agent(world, node1.fqdn, 'another key');
    await again.join();
    expect(await replace(world, node1.fqdn, fingerprintOf(again.publicKey), true)).toMatchObject(refused(/must be down first/));
  });
});

describe('what is refused', () => {
  it('says why', async () => {
    const { world, node1, node2 } = await twoNodes();
    const node3 = await new Agent(world, 'node3.acme.org').start();

    expect(await replace(world, node1.fqdn, node3.fqdn)).toMatchObject(refused(/it is up: .* requires force/));
    node1.fallSilent();
    await world.step(2 * minuteMs);
    expect(await replace(world, node1.fqdn, node2.fqdn)).toMatchObject(refused(/has \d+ slots of its own/));
    expect(await replace(world, node1.fqdn, node1.id)).toMatchObject(refused(/cannot take its own place/));
    expect(await replace(world, node1.fqdn, 'node9.acme.org')).toMatchObject({ status: 404 });
    expect(await replace(world, 'node9.acme.org', node3.fqdn)).toMatchObject({ status: 404 });
    node3.fallSilent();
    await world.step(2 * minuteMs);
    expect(await replace(world, node1.fqdn, node3.fqdn)).toMatchObject(refused(/cannot take the place .*: it is (down|suspect)/));
  });

  it('is a node of another zone', async () => {
    const { world, node1 } = await twoNodes();
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    const token = (await world.call('POST', '/api/v1/node-tokens', { nodes: 'far.acme.org', zone: 'emea', kind: 'salt' })).body as {
      secret: string;
    };
    const far = await new Agent(world, 'far.acme.org').start({ token: token.secret, zone: 'emea' });
    expect(await replace(world, node1.fqdn, far.fqdn, true)).toMatchObject(refused(/is in zone emea/));
  });

  it('is to take a host from the pool that goes by the name of a node of another zone: it could not join', async () => {
    const { world, node1 } = await twoNodes();
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    const token = (await world.call('POST', '/api/v1/node-tokens', { nodes: 'far.acme.org', zone: 'emea', kind: 'salt' })).body as {
      secret: string;
    };
    const far = await new Agent(world, 'far.acme.org').start({ token: token.secret, zone: 'emea' });
    const anew = new Agent(world, 'far.acme.org', 'reinstalled');
    expect(await anew.join()).toMatchObject({ status: 409 });
    node1.fallSilent();
    await world.step(2 * minuteMs);

    const fp = fingerprintOf(anew.publicKey);
    expect(await replace(world, node1.fqdn, fp)).toMatchObject({
      status: 409,
      body: { type: 'urn:muster:problem:fqdn-in-use', detail: expect.stringContaining('of another zone') },
    });
    expect(await nodeRow(world, node1)).not.toHaveProperty('replacedBy');

    far.fallSilent();
    await world.call('POST', `/api/v1/nodes/${far.id}/drop`, {});
    await world.step(minuteMs);
    expect(await world.call('POST', `/api/v1/nodes/${far.id}/remove`, {})).toMatchObject({ status: 202, body: { done: true } });
    expect(await replace(world, node1.fqdn, fp)).toMatchObject(done);
  });

  it('is to take the old one back while its place is taken; giving it up ends the order', async () => {
    const { world, node1 } = await twoNodes();
    node1.fallSilent();
    await world.step(2 * minuteMs);
    const node3 = new Agent(world, 'node3.acme.org');
    await node3.join();
    await replace(world, node1.fqdn, node3.fqdn);
    const admit = () => world.call('POST', '/api/v1/node-pool/admit', { hosts: [fingerprintOf(node1.publicKey)] });
    expect((await admit()).body).toMatchObject({ results: [{ done: false, because: expect.stringContaining('takes its place') }] });

    await world.call('POST', `/api/v1/nodes/${node1.id}/drop`, {});
    await world.step(10_000);
    expect((await admit()).body).toMatchObject({ results: [{ done: true }] });
    await node3.start();
    await world.step(10_000);
    expect(await nodeRow(world, node3)).toMatchObject({ status: 'up', index: 2, generation: 1 });
    expect(await nodeRow(world, node3)).not.toHaveProperty('replaces');
  });
});

describe('by force', () => {
  it('a node that is up is out at once, as planned, and its clients go to the one that is ready', async () => {
    const { world, node1, clients, places } = await twoNodes();
    const node3 = await new Agent(world, 'node3.acme.org').start();

    expect(await replace(world, node1.fqdn, node3.fqdn, true)).toMatchObject(done);
    await world.step(10_000);

    expect(await nodeRow(world, node1)).toMatchObject({ status: 'dropped', planned: true });
    for (const client of clients.filter(({ fqdn }) => places[fqdn] === 'node1.acme.org'))
      expect(await comeTo(client)).toBe('node3.acme.org 1');
  });

  it('a node that is up is down until the other is ready, and what it said before does not bring it back', async () => {
    const { world, node1 } = await twoNodes();
    const node3 = new Agent(world, 'node3.acme.org');
    await node3.join();
    await node1.beat();
    expect(await replace(world, node1.fqdn, node3.fqdn, true)).toMatchObject(done);
    await world.step(10_000);
    expect(await nodeRow(world, node1)).toMatchObject({ status: 'down' });
    await world.step(35 * minuteMs);
    expect(await nodeRow(world, node1)).toMatchObject({ status: 'down' });
  });

  it('a node that is held for an upgrade needs none, and stays held until the other is ready', async () => {
    const { world, node1, clients, places } = await twoNodes({ mode: 'production' });
    await world.call('POST', `/api/v1/nodes/${node1.id}/leave`, { mode: 'hold' });
    await world.step(10_000);
    node1.fallSilent();
    const node3 = new Agent(world, 'node3.acme.org');
    await node3.join();
    expect(await replace(world, node1.fqdn, node3.fqdn)).toMatchObject(done);
    await world.step(20 * minuteMs);
    const mine = clients.filter(({ fqdn }) => places[fqdn] === 'node1.acme.org');
    for (const client of mine) expect((await client.status()).body).toBe('1');
    await node3.start();
    await world.step(10_000);
    for (const client of mine) expect(await comeTo(client)).toBe('node3.acme.org 1');
    expect(await nodeRow(world, node1)).toMatchObject({ status: 'dropped', planned: true });
  });
});
