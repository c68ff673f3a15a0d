import { hourMs, minuteMs } from '../../../lib/core/time.ts';
import { Agent, factsOf } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';
import { nodesUp } from './nodes.ts';

/** What a queue may hold besides good reports: what nobody can read is put aside, what comes late or from a stranger changes nothing. */
export async function whatCannotBeTaken(world: World): Promise<void> {
  const [node] = (await nodesUp(world, 1)) as [Agent];
  const stamped = { version: 1, node: node.id, incarnation: 1, receivedAt: world.now(), intervalMs: 300_000 };
  const load = { load1: 1, load5: 1, load15: 1, memoryUsedMib: 1, memoryMib: 2, systems: 0 };
  const say = (report: object) => world.queue.send('reports', JSON.stringify({ ...stamped, ...report }));

  await world.queue.send('reports', 'node1 is up, honestly');
  await say({ type: 'node.sings', id: 'unknown-type', data: {} });
  await say({ type: 'node.ready', id: 'unknown-version', version: 99, data: {} });
  await say({ type: 'node.ready', id: 'a-field-more', data: { really: true } });
  await world.queue.sendFromBus('reports', JSON.stringify({ type: 'node.ready', version: 1, id: 'by-the-bus', node: node.id, data: {} }));
  await world.step(minuteMs);

  const stranger = new Agent(world, 'node9.acme.org');
  const boot = { id: 'node9-boot-1', kernel: 'kernel-1' };
  await say({
    type: 'node.up',
    id: 'a-stranger',
    node: stranger.id,
    incarnation: undefined,
    data: { boot, facts: factsOf(stranger.fqdn) },
  });
  await say({ type: 'node.leaving', id: 'another-life', incarnation: 7, data: { mode: 'drain' } });
  const late = { ...stamped, type: 'node.heartbeat', id: 'late', seq: 99, receivedAt: world.now() - hourMs, data: { load } };
  await world.queue.send('heartbeats', JSON.stringify(late));
  await world.step(10 * minuteMs);
}
