import { beforeEach, describe, expect, it } from 'vitest';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { justBefore, writes } from '../../support/just-before.ts';

let world: World;
let node: Agent;
let replacement: Agent;
/** The node was given up and has said that it flushed; the report waits. */
beforeEach(async () => {
  world = await stepped();
  await world.call('PATCH', '/api/v1/zones/default', { readmit: 'auto' });
  node = await new Agent(world, 'node1.acme.org').start();
  replacement = new Agent(world, 'node1.acme.org', 'another key');
  await world.call('POST', `/api/v1/nodes/${node.id}/drop`, {});
  node.fallSilent();
  await world.step(5_000);
  await node.up(1);
});

const statusOf = async (agent: Agent): Promise<string> =>
  ((await world.table.read(keyOf({ noun: 'node', id: agent.id })))?.body as Node | undefined)?.status ?? 'none';

describe('a name that two machines want at the same moment', () => {
  it('stays with the one that comes back while the other joins', async () => {
    justBefore(world, writes(keyOf({ noun: 'node', id: replacement.id }).pk), () => world.step(0));

    expect(await replacement.join()).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:fqdn-in-use' } });

    expect([await statusOf(node), await statusOf(replacement)]).toEqual(['joining', 'none']);
  });

  it('goes to the one that joins while the other comes back', async () => {
    justBefore(world, writes(keyOf({ noun: 'node', id: node.id }).pk), () => replacement.join());

    await world.step(0);

    expect([await statusOf(node), await statusOf(replacement)]).toEqual(['dropped', 'absent']);
    expect(await node.up(1)).toMatchObject({ status: 410, body: { type: 'urn:muster:problem:removed' } });
  });

  it('is free again for the first once whoever took it over is gone, having never come up', async () => {
    await replacement.join();
    await world.call('POST', `/api/v1/nodes/${replacement.id}/drop`, {});
    expect((await world.table.read(keyOf({ noun: 'node', id: replacement.id })))?.gone).toBe(true);

    expect(await node.up(1)).toMatchObject({ status: 202 });
    await world.step(0);

    expect(await statusOf(node)).toBe('joining');
    const name = await world.table.read(keyOf({ noun: 'fqdn', id: 'node1.acme.org' }));
    expect(name?.body).toEqual({ node: node.id });
  });
});
