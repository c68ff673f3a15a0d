import { hearsOf } from '../../../events/reported/hears.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { Agent } from '../../../tools/support/players.ts';
import { Serving } from '../../support/serving.ts';
import type { Story } from '../recorder.ts';

const hosts = ['ts1.acme.org', 'ts2.acme.org', 'ts3.acme.org'];
const command = ['ipmitool', '-H', '{bmc}', '-U', '{user}', '-f', '{passwordFile}', 'chassis', 'power', 'cycle'];

/** One host of three stations is ordered to be power-cycled: its agent must not, then says what it would do, and then says nothing of what came of it. */
export const hostsArePowerCycled: Story = (world) => powerCycling(world, { command });

/** The same, by the power program of the station itself: the zone names none. */
export const stationsHaveTheirOwnProgram: Story = (world) => powerCycling(world, {});

async function powerCycling(world: Parameters<Story>[0], power: object): Promise<void> {
  await world.step(minuteMs);
  await world.call('PUT', '/api/v1/zones/default/stations', { hosts });
  const bmcs = hosts.map((host) => ({ host, address: '192.0.2.7', user: 'admin', secret: `bmc/${host}` }));
  await world.call('PATCH', '/api/v1/zones/default/stations/power', { ...power, bmcs });
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
  const beat = async (times: number) => {
    for (let n = 0; n < times; n++) {
      for (const agent of agents) await agent.beat();
      await world.step(15 * secondMs);
    }
  };
  const serving = new Serving(agents[0]!);
  await beat(4);
  await serving.obey();
  await beat(1);

  // The first is refused by the agent, the second only says what it would do, of the third nobody says what came of it.
  for (const exit of [77, 0, undefined]) {
    await world.call('POST', '/api/v1/zones/default/stations/orders', { host: hosts[2], force: true, dryRun: exit === 0 });
    await beat(1);
    const ask = (await serving.told())?.find(({ service }) => service === 'recovery-coordinator')?.asks[0]?.id;
    const answer = { ...serving.about('recovery-coordinator'), ask, what: 'message', message: 'power-cycle', exit, says: '' };
    if (exit !== undefined) await serving.says('service.answered', answer);
    await beat(exit === undefined ? 8 : 1);
  }
}
