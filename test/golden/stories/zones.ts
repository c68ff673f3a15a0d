import { minuteMs } from '../../../lib/core/time.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';

/** One zone is made, lived in, emptied and deleted, and another is made under its name. */
export async function zonesComeAndGo(world: World): Promise<void> {
  const asked = { name: 'emea', kind: 'management', remapAfterMs: 0 };
  const remove = () => world.call('POST', '/api/v1/zones/emea/delete', {});
  await world.call('POST', '/api/v1/zones', asked);
  await world.call('POST', '/api/v1/zones', asked);
  const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: 'node1.acme.org', zone: 'emea', kind: 'salt' });
  const node = await new Agent(world, 'node1.acme.org').start({ token: (body as { secret: string }).secret });
  const web = new Daemon(world, 'web1.acme.org');
  await web.knock();
  await world.call('POST', '/api/v1/systems/accept', { systems: [web.fp], zone: 'emea' });
  await world.step(10 * minuteMs);
  await web.knock();
  await web.orphan();
  await remove();

  await world.call('POST', '/api/v1/systems/ban', { systems: [web.fp] });
  node.fallSilent();
  await world.call('POST', '/api/v1/nodes/node1.acme.org/drop', {});
  await world.step(10 * minuteMs);
  await remove();
  await world.step(minuteMs);
  await world.call('POST', '/api/v1/zones', { name: 'emea', kind: 'storage' });
  await world.step(10 * minuteMs);
}

/** A node of two is lost and back in time for what the zone may take to recover, and then later. */
export async function aZoneRecovers(world: World): Promise<void> {
  const node = await new Agent(world, 'node1.acme.org').start();
  await new Agent(world, 'node2.acme.org').start();
  await world.call('PATCH', '/api/v1/zones/default', { mode: 'recovery', meanwhile: 'hold', rtoMs: 3_600_000 });
  for (const awayMs of [10 * minuteMs, 90 * minuteMs]) {
    node.fallSilent();
    await world.step(awayMs);
    await node.up();
    await world.step(minuteMs);
    node.beats();
    await world.step(30 * minuteMs);
  }
}
