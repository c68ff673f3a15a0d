import { expect, it } from 'vitest';
import { secondMs } from '../../../lib/core/time.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

/** How long a node is silent until it is down, each time for another lease longer, in s. */
const silentS = (losses: number): number => 38 * (losses + 1) + 40;

it('a node that is lost and comes back five times within half an hour is logged once, for an alarm, as it is quarantined', async () => {
  const world = await stepped({});
  const node = await new Agent(world, 'node1.acme.org').start();
  await new Agent(world, 'node2.acme.org').start();
  const flapped = () => world.logged.filter(({ code }) => code === 'node.flapping');

  for (let losses = 0; losses < 6; losses++) {
    if (losses < 4) expect(flapped()).toEqual([]);
    node.fallSilent();
    await world.step(silentS(losses) * secondMs);
    await node.up();
    node.beats();
    await world.step(60 * secondMs);
  }

  expect(flapped()).toEqual([
    { level: 'warn', code: 'node.flapping', fields: { zone: 'default', node: node.id, because: expect.stringContaining('flap score') } },
  ]);
});
