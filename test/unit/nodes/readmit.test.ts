import { expect, it } from 'vitest';
import { minuteMs } from '../../../lib/core/time.ts';
import type { PooledHostView } from '../../../lib/nodes/admission/routes.ts';
import type { ZoneView } from '../../../lib/zones/routes.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

const shown = async (world: World) => (await world.call('GET', '/api/v1/nodes/node1.acme.org')).body as { status: string; because: string };
const pool = async (world: World) => ((await world.call('GET', '/api/v1/node-pool')).body as { items: PooledHostView[] }).items;
const hosts = ['node1.acme.org'];
const admit = (world: World) => world.call('POST', '/api/v1/node-pool/admit', { hosts });

/**
 * Two nodes in a zone that readmits so, or as zones usually do, the first of which was given up by an operator and has
 * flushed.
 */
async function dropped(readmit?: 'auto'): Promise<{ world: World; node: Agent }> {
  const world = await stepped({ zoneMaxAgeMs: 0 });
  if (readmit) await world.call('PATCH', '/api/v1/zones/default', { readmit });
  const node = await new Agent(world, 'node1.acme.org').start();
  await new Agent(world, 'node2.acme.org').start();
  node.fallSilent();
  await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
  await world.step(minuteMs);
  await node.up(1);
  await world.step(10_000);
  return { world, node };
}

it('a node that was given up comes back by itself, flushed, where its zone says so', async () => {
  const { world } = await dropped('auto');

  expect(await shown(world)).toMatchObject({ status: 'joining', because: 'flushed and re-admitted as new (readmit: auto)' });
});

it('a node that was given up waits, says so once, and comes back by an administrator’s word', async () => {
  const { world, node } = await dropped();
  const asked = await shown(world);
  const zone = async () => (await world.call('GET', '/api/v1/zones/default')).body as ZoneView;
  const asking = (await zone()).askingBack;
  await node.up(1);
  await world.step(10_000);
  expect([asked, (await shown(world)).status]).toEqual([
    expect.objectContaining({ status: 'dropped', because: 'flushed and back: it waits for an administrator (muster node admit)' }),
    'dropped',
  ]);

  expect(asking).toEqual([{ node: node.id, fqdn: 'node1.acme.org' }]);
  const history = async () => (await world.call('GET', '/api/v1/history/node/node1.acme.org')).body as { items: { type: string }[] };
  expect((await history()).items.filter(({ type }) => type === 'node.readmission-asked')).toHaveLength(1);

  const said = await admit(world);
  const again = await admit(world);
  await node.up(1);
  await world.step(10_000);

  expect([said.body, again.body]).toMatchObject([{ results: [{ done: true }] }, { results: [{ done: false }] }]);
  expect(await shown(world)).toMatchObject({
    status: 'joining',
    generation: 2,
    because: 'flushed and re-admitted as new by an administrator',
  });
  expect((await zone()).askingBack).toBeUndefined();
});

it('a node that waits for an administrator’s word comes back by itself once its zone readmits whoever has flushed', async () => {
  const { world, node } = await dropped();
  expect((await shown(world)).status).toBe('dropped');

  await world.call('PATCH', '/api/v1/zones/default', { readmit: 'auto' });
  await node.up(1);
  await world.step(10_000);

  expect(await shown(world)).toMatchObject({ status: 'joining', because: 'flushed and re-admitted as new (readmit: auto)' });
});

it('a node that waits for readmission is in the pool, for the people of its zone, and asks again each minute', async () => {
  const { world, node } = await dropped();
  const { fp } = (await pool(world))[0]!;
  expect(await pool(world)).toEqual([
    expect.objectContaining({
      fqdn: node.fqdn,
      standing: 'waiting',
      because: expect.stringMatching(/^dropped at 2026-.*Z; waits for readmission$/),
      dropped: { node: node.id, at: expect.any(String), planned: false },
    }),
  ]);
  expect(await node.up(1)).toMatchObject({ status: 202, body: { acknowledged: false, waits: 'readmission', nextMs: minuteMs } });

  expect((await world.call('POST', '/api/v1/node-pool/admit', { hosts: [fp] })).body).toMatchObject({ results: [{ done: true }] });

  expect(await pool(world)).toEqual([]);
  expect((await node.up(1)).body).not.toHaveProperty('waits');
});

it('a node that waits for readmission is sent away, and comes back once it is admitted all the same', async () => {
  const { world, node } = await dropped();

  const rejected = await world.call('POST', '/api/v1/node-pool/reject', { hosts });
  const again = await world.call('POST', '/api/v1/node-pool/reject', { hosts });

  expect([rejected.body, again.body]).toMatchObject([{ results: [{ done: true }] }, { results: [{ done: false }] }]);
  expect(await pool(world)).toEqual([]);
  expect(await node.up(1)).toMatchObject({ status: 410 });

  await admit(world);
  await node.up(1);
  await world.step(10_000);
  expect((await shown(world)).status).toBe('joining');
});

it('a node is not sent away while client systems wait for it and no other', async () => {
  const { world } = await dropped();
  const web = new Daemon(world, 'web1.acme.org');
  await web.onboarded();
  const pinned = await world.call('POST', '/api/v1/systems/pin', { systems: [web.fp], node: 'node1.acme.org' });

  expect(pinned.body).toMatchObject({ results: [{ done: true }] });
  expect((await world.call('POST', '/api/v1/node-pool/reject', { hosts })).body).toMatchObject({
    results: [{ done: false, because: expect.stringContaining('waits for node1.acme.org and no other') }],
  });
});

it('a node that was given up twice, under another index each time, is shown once when it asks to come back', async () => {
  const { world, node } = await dropped('auto');
  await node.up(1);
  await node.say('node.ready');
  await world.step(10_000);
  await world.call('PATCH', '/api/v1/zones/default', { readmit: 'admin' });
  await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
  await world.step(minuteMs);
  await node.up(2);
  await world.step(10_000);

  const { askingBack } = (await world.call('GET', '/api/v1/zones/default')).body as ZoneView;

  expect(askingBack).toEqual([{ node: node.id, fqdn: 'node1.acme.org' }]);
});

it('a node that came back is counted once, and stands once in the map of its zone, until it is given up again', async () => {
  const { world, node } = await dropped('auto');
  await node.up(1);
  await node.say('node.ready');
  node.beats();
  await world.step(minuteMs);
  const seen = async () => {
    const { zones } = (await world.call('GET', '/api/v1/status')).body as { zones: { nodes: object }[] };
    const { map } = (await world.call('GET', '/api/v1/zones/default')).body as ZoneView;
    return [zones[0]!.nodes, map.nodes.map(({ fqdn, standing }) => `${fqdn} ${standing}`).sort()];
  };
  expect(await seen()).toEqual([{ up: 2 }, ['node1.acme.org up', 'node2.acme.org up']]);

  node.fallSilent();
  await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
  await world.step(minuteMs);
  expect(await seen()).toEqual([{ up: 1, dropped: 1 }, ['node1.acme.org dropped', 'node2.acme.org up']]);
});
