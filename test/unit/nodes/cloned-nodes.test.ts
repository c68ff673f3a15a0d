import { expect, it } from 'vitest';
import { countedCodes } from '../../../infra/alarms.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

it('two machines that take turns with one key wake an operator, once, by the line that the alarm counts', async () => {
  const world = await stepped();
  const node = await new Agent(world, 'node1.acme.org').start();
  for (const boot of [2, 1, 2, 1]) {
    node.boot = boot;
    await node.up();
    await world.step(6_000);
  }

  expect(countedCodes).toContain('node.cloned');
  expect(world.logged.filter(({ code }) => code === 'node.cloned')).toMatchObject([
    { level: 'warn', fields: { row: `node ${node.id}`, because: expect.stringContaining('two machines with one key') } },
  ]);
});
