import { hearsOf } from '../../../events/reported/hears.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { Agent } from '../../../tools/support/players.ts';
import type { Story } from '../recorder.ts';

/** Three stations are named before they are there, find each other, lose their coordinator, then their majority, and have both again. */
export const stationsComeAndGo: Story = async (world) => {
  const hosts = ['ts1.acme.org', 'ts2.acme.org', 'ts3.acme.org'];
  await world.step(minuteMs);
  await world.call('PUT', '/api/v1/zones/default/stations', { hosts });
  const agents = hosts.map((host) => new Agent(world, host));
  for (const agent of agents) await agent.join();
  for (let again = 0; again < 3; again++) {
    for (const agent of agents) await agent.up();
    await world.step(2 * secondMs);
  }
  for (const agent of agents) {
    await agent.say('node.ready');
    agent.hears = () => hearsOf(3, [0, 1, 2]);
  }
  const [, two, three] = agents as [Agent, Agent, Agent];
  for (const beating of [agents, [two, three], [three], agents])
    for (let beats = 0; beats < 6; beats++) {
      for (const agent of beating) await agent.beat();
      await world.step(15 * secondMs);
    }
};
