import { expect, it, vi } from 'vitest';
import { countedCodes } from '../../../infra/alarms.ts';
import { underWayMs } from '../../../lib/core/under-way.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
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

it('the answer and the report of a second machine are of one moment: who is told so is quarantined, however long a call takes', async () => {
  const world = await stepped();
  const node = await new Agent(world, 'node1.acme.org').start();
  const status = async () => (await world.table.read(keyOf({ noun: 'node', id: node.id })))?.body;
  node.boot = 2;
  await node.up();
  await world.step(1_000);
  await node.up();
  expect((await node.beat()).status).toBe(200);
  await world.step(underWayMs - 1_000);

  // This call ends at a moment at which it could no longer have been on its way; it began before.
  node.boot = 1;
  const { queue } = world.environment('node-door');
  const { send } = queue;
  vi.spyOn(queue, 'send').mockImplementationOnce((...message) => {
    world.sleep(1);
    return send(...message);
  });
  expect(await node.up()).toMatchObject({ status: 202, body: { acknowledged: false } });
  await world.step(0);
  expect(await status()).toMatchObject({ status: 'up' });

  expect(await node.up()).toMatchObject({ status: 409 });
  await world.step(0);
  expect(await status()).toMatchObject({ status: 'quarantined', reason: 'clone' });
});
