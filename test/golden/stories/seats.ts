import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { Agent } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';

/** Two people edit common content on one server, which is lost; another is the seat once nothing can be open there. */
export async function commonContentIsEdited(world: World): Promise<void> {
  await world.step(minuteMs);
  const [one, two, three] = ['uyuni1.acme.org', 'uyuni2.acme.org', 'uyuni3.acme.org'].map((fqdn) => new Agent(world, fqdn)) as [
    Agent,
    Agent,
    Agent,
  ];
  for (const agent of [one, two, three]) await agent.join({ kind: 'uyuni' });
  for (let again = 0; again < 3; again++) {
    for (const agent of [one, two, three]) await agent.up();
    await world.step(2 * secondMs);
  }
  for (const agent of [one, two, three]) await agent.say('node.ready');
  const beats = async (agents: readonly Agent[], count: number, everyMs = 15 * secondMs) => {
    for (let beat = 0; beat < count; beat++) {
      for (const agent of agents) await agent.beat();
      await world.step(everyMs);
    }
  };
  await beats([one, two, three], 8);
  const seat = (what: string, body: object) => world.call('POST', `/api/v1/zones/default/seat/${what}`, body);
  await seat('edit', {});
  const { body } = await seat('edit', { login: 'ada', changes: true });
  await seat('edit', { login: 'ada', changes: true });
  const { fqdn } = body as { fqdn: string };
  const others = [one, two, three].filter((agent) => agent.fqdn !== fqdn);
  await beats(others, 6, 4 * minuteMs);
  await seat('edit', { login: 'ada', changes: true });
  await seat('finish', { login: 'ada' });
  await seat('synced', { node: fqdn });
  await seat('edit', { login: 'ben' });
  await seat('end', { because: 'the night shift begins' });
  await world.step(minuteMs);
}
