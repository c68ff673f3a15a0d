import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { Agent } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';
import type { Story } from '../recorder.ts';

/** Nodes of the zone `default`, with what each has of services, and orders about these. */
async function servingNodes(world: World, hosts: readonly string[]) {
  const nodes: { readonly agent: Agent; readonly serving: Serving }[] = [];
  for (const fqdn of hosts) {
    const agent = await new Agent(world, fqdn).start();
    const serving = new Serving(agent);
    agent.processes = serving;
    nodes.push({ agent, serving });
  }
  const order = (what: string, type: string, node: string) =>
    world.call('POST', `/api/v1/zones/default/services/${type}/${what}`, { node });
  const obeys = async () => {
    await world.step(0);
    for (const { serving } of nodes) await serving.obey();
    await world.step(2 * minuteMs);
  };
  return { nodes, order, obeys };
}

/**
 * Two of three nodes have supervisors. Both say that they miss the third node, which one of them watches, and whose agent answers; then each misses the
 * other. One is lost with its node, and the other has what it watched, until it is back; then both are stopped.
 */
export const supervisorsWatch: Story = async (world) => {
  const hosts = ['salt1.acme.org', 'salt2.acme.org', 'salt3.acme.org'];
  const { nodes, order, obeys } = await servingNodes(world, hosts);
  const [one, two, three] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]];
  for (const fqdn of hosts) await order('start', 'statistics', fqdn);
  await obeys();
  for (const fqdn of hosts.slice(0, 2)) await order('start', 'supervisor', fqdn);
  await obeys();

  const miss = async (...missed: readonly string[]) => {
    for (const { serving } of [one, two])
      await serving.says('supervisor.missed', { ...serving.about('supervisor'), missed: missed.map((node) => ({ node, forMs: 20_000 })) });
  };
  await miss(three.agent.id);
  await world.step(5 * secondMs);
  for (const { id: ask } of (await three.serving.told())?.find(({ service }) => service === 'statistics')?.asks ?? [])
    await three.serving.says('service.answered', { ...three.serving.about('statistics'), ask, what: 'check', exit: 0, says: 'load 0.2' });
  await miss(one.agent.id, two.agent.id);
  await world.step(minuteMs);
  await miss();

  two.agent.fallSilent();
  await world.step(5 * minuteMs);
  await two.agent.up();
  two.agent.beats();
  await obeys();
  for (const fqdn of hosts.slice(0, 2)) await order('stop', 'supervisor', fqdn);
  await obeys();
  await world.step(5 * minuteMs);
};
