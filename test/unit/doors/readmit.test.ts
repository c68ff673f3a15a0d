import { expect, it } from 'vitest';
import type { ZoneView } from '../../../lib/api/views.ts';
import { minuteMs } from '../../../lib/units.ts';
import { Agent } from '../../support/players.ts';
import { stepped, type World } from '../../support/stepped.ts';

const shown = async (world: World) => (await world.call('GET', '/api/v1/nodes/node1.acme.org')).body as { status: string; because: string };
const admit = (world: World) => world.call('POST', '/api/v1/node-pool/admit', { hosts: ['node1.acme.org'] });

/** Two nodes in a zone that readmits so, the first of which was given up by an operator and has flushed. */
async function dropped(readmit: 'auto' | 'admin'): Promise<{ world: World; node: Agent }> {
  const world = await stepped({ zoneMaxAgeMs: 0 });
  await world.call('PATCH', '/api/v1/zones/default', { readmit });
  const node = await new Agent(world, 'node1.acme.org').start();
  await new Agent(world, 'node2.acme.org').start();
  node.fallSilent();
  await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
  await world.step(minuteMs);
  await node.up(1);
  await world.step(10_000);
  return { world, node };
}

it('a node that was given up comes back by itself, flushed, unless its zone says otherwise', async () => {
  const { world } = await dropped('auto');

  expect(await shown(world)).toMatchObject({ status: 'joining', because: 'flushed and re-admitted as new (readmit: auto)' });
});

it('a node of a zone that readmits nobody by itself waits, says so once, and comes back by an administrator’s word', async () => {
  const { world, node } = await dropped('admin');
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
  const { world, node } = await dropped('admin');
  expect((await shown(world)).status).toBe('dropped');

  await world.call('PATCH', '/api/v1/zones/default', { readmit: 'auto' });
  await node.up(1);
  await world.step(10_000);

  expect(await shown(world)).toMatchObject({ status: 'joining', because: 'flushed and re-admitted as new (readmit: auto)' });
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
