import { expect, it } from 'vitest';
import { Agent } from '../../support/players.ts';
import { stepped } from '../../support/stepped.ts';

it('a node that another system vouches for is shown as such to operators and to its own agent', async () => {
  const world = await stepped();
  const agent = await new Agent(world, 'node1.acme.org').start();
  const shown = async () => ({
    told: (await agent.desired()).headers['muster-vouched'],
    why: JSON.stringify((await world.call('GET', `/api/v1/explain/node/${agent.fqdn}`)).body),
  });
  expect(await shown()).toMatchObject({ told: undefined, why: expect.not.stringContaining('vouches') });
  await world.call('PATCH', `/api/v1/nodes/${agent.fqdn}`, { vouched: true });
  expect(await shown()).toMatchObject({ told: 'yes', why: expect.stringContaining('another system vouches for it') });
});
