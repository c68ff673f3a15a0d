import { hourMs, minuteMs } from '../../../lib/core/time.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { World } from '../../../tools/support/stepped.ts';
import { Voucher } from '../../support/a-voucher.ts';

/** Nodes that are up, by the names node1, node2 and so on. */
export async function nodesUp(world: World, count: number): Promise<Agent[]> {
  const agents = Array.from({ length: count }, (_, n) => new Agent(world, `node${n + 1}.acme.org`));
  for (const agent of agents) await agent.start();
  await world.step(10 * minuteMs);
  return agents;
}

/** Says node-up until it is acknowledged, as an agent that has started does. */
export async function boots(world: World, agent: Agent, flushed?: number): Promise<void> {
  await agent.up(flushed);
  await world.step(0);
  await agent.up();
}

/** One that is lost, comes back, boots again, is given up, and is admitted again as new; and others that an operator looks after. */
export async function aNodeIsLostAndFound(world: World): Promise<void> {
  const [, second, third] = (await nodesUp(world, 3)) as [Agent, Agent, Agent];

  third.fallSilent();
  await world.step(30 * minuteMs);
  await boots(world, third);
  third.beats();
  await world.step(10 * minuteMs);
  third.boot += 1;
  await boots(world, third);
  await world.step(10 * minuteMs);

  third.fallSilent();
  await world.step(2 * hourMs);
  await third.beat();
  await third.up();
  await boots(world, third, 1);
  await third.say('node.ready');
  third.beats();
  await world.step(10 * minuteMs);

  const edit = { weight: 2, labels: { rack: 'r7' }, capacity: 500 };
  await world.call('PATCH', `/api/v1/nodes/${second.id}`, edit);
  await new Agent(world, 'node4.acme.org').join();
  const fifth = new Agent(world, 'node5.acme.org');
  await fifth.join({ capacity: 100, kind: 'uyuni' });
  await boots(world, fifth);
  fifth.beats();
  await world.step(10 * minuteMs);
  await world.call('POST', `/api/v1/nodes/node1.acme.org/drop`, {});
  await world.step(10 * minuteMs);
}

/** Given up in a zone that readmits nobody by itself, it asks to come back, once and again, and is admitted; then all of it another time. */
export async function aNodeAsksToComeBack(world: World): Promise<void> {
  await world.call('PATCH', '/api/v1/zones/default', { readmit: 'admin' });
  const [, second] = (await nodesUp(world, 2)) as [Agent, Agent];
  for (const generation of [1, 2]) {
    second.fallSilent();
    await world.call('POST', `/api/v1/nodes/${second.id}/drop`, {});
    await world.step(10 * minuteMs);
    await boots(world, second, generation);
    await second.up(generation);
    await world.step(10 * minuteMs);
    await world.call('POST', '/api/v1/node-pool/admit', { hosts: [second.fqdn] });
    await boots(world, second, generation);
    await second.say('node.ready');
    second.beats();
    await world.step(10 * minuteMs);
  }
}

/** Drained by its own word, held by automation and back again, kept by an operator after all, and held until it was too late. */
export async function nodesLeave(world: World): Promise<void> {
  const [first, second, third, fourth] = (await nodesUp(world, 4)) as [Agent, Agent, Agent, Agent];

  await first.leave('drain');
  await world.step(2 * minuteMs);
  const { release } = (await first.desired()).body as { release: { mapVersion: number }[] };
  await first.say('node.released', { mapVersion: Math.max(...release.map(({ mapVersion }) => mapVersion)) });
  await world.step(5 * minuteMs);
  first.fallSilent();

  const order = { type: 'node.leaving', version: 1, id: 'patch-tuesday', node: second.id };
  const hold = JSON.stringify({ ...order, data: { mode: 'hold', until: world.now() + 6 * hourMs } });
  await world.queue.sendFromBus('reports', hold);
  await world.step(2 * minuteMs);
  second.fallSilent();
  await world.step(2 * hourMs);
  second.boot += 1;
  await boots(world, second);
  second.beats();
  await world.step(10 * minuteMs);
  await world.queue.sendFromBus('reports', hold);
  await world.step(10 * minuteMs);

  await world.call('POST', `/api/v1/nodes/${third.id}/leave`, { mode: 'drain' });
  await world.call('POST', `/api/v1/nodes/${third.id}/leave`, { mode: 'stay' });
  await world.step(10 * minuteMs);

  await fourth.leave('hold', world.now() + hourMs);
  await world.step(2 * minuteMs);
  fourth.fallSilent();
  await world.step(hourMs + 10 * minuteMs);
}

/** The disk of a node was copied: its key speaks from two boots in turn. An operator looks, and keeps it; another is left as it is. */
export async function twoMachinesHaveOneKey(world: World): Promise<void> {
  for (const agent of await nodesUp(world, 3)) {
    if (agent.fqdn === 'node3.acme.org') continue;
    agent.boot = 2;
    await boots(world, agent);
    await world.step(10 * minuteMs);
    agent.boot = 1;
    await agent.up();
    await world.step(10 * minuteMs);
  }
  await world.call('POST', '/api/v1/nodes/node1.acme.org/leave', { mode: 'stay' });
  await world.step(10 * minuteMs);
}

/** While a node that was given up says that it has flushed, a new machine joins under its name. */
export async function aNameChangesHands(world: World): Promise<void> {
  const [, second] = (await nodesUp(world, 2)) as [Agent, Agent];
  second.fallSilent();
  await world.step(2 * hourMs);
  await second.up(1);
  const machine = new Agent(world, second.fqdn, 'a new machine');
  await machine.join();
  await world.step(minuteMs);
  await boots(world, machine);
  await machine.say('node.ready');
  machine.beats();
  await world.step(10 * minuteMs);
}

/** Half of a zone is cut off for a while, and nobody is lost for it; then nobody is heard at all. */
export async function aZoneIsDisrupted(world: World): Promise<void> {
  const agents = await nodesUp(world, 6);
  const cut = agents.slice(0, 3);
  for (const agent of cut) agent.fallSilent();
  await world.step(20 * minuteMs);
  for (const agent of cut) {
    await agent.beat();
    agent.beats();
  }
  await world.step(hourMs);
  for (const agent of agents) agent.fallSilent();
  await world.step(hourMs);
}

/** The slots of a lost node find no room, until another node comes. */
export async function aZoneIsCrowded(world: World): Promise<void> {
  const agents = [new Agent(world, 'node1.acme.org'), new Agent(world, 'node2.acme.org')];
  for (const agent of agents) await agent.start({ capacity: 3 });
  const webs = Array.from({ length: 4 }, (_, n) => new Daemon(world, `web${n + 1}.acme.org`));
  for (const web of webs) await web.knock();
  await world.call('POST', '/api/v1/systems/accept', { systems: webs.map(({ fp }) => fp) });
  await world.step(hourMs);
  agents[1]!.fallSilent();
  await world.step(20 * minuteMs);
  await new Agent(world, 'node3.acme.org').start({ capacity: 10 });
  await world.step(hourMs);
}

/** A node names another key and signs with it; what it asks first is written down, so that a replay has the call that takes the key. */
export async function aNodeTakesAnotherKey(world: World): Promise<void> {
  const [node] = (await nodesUp(world, 1)) as [Agent];
  await node.rotate(keyPairOf('the next key of node1'));
  await node.systems();
  await world.step(2 * hourMs);
}

/** A node that is lost is replaced by one that waits without client systems; then by force, while it is up, by another. */
export async function aNodeIsReplaced(world: World): Promise<void> {
  const [first] = (await nodesUp(world, 2)) as [Agent, Agent];
  await world.call('PATCH', '/api/v1/zones/default', { mode: 'recovery' });
  const third = await new Agent(world, 'node3.acme.org').start();
  first.fallSilent();
  await world.step(10 * minuteMs);
  await world.call('POST', `/api/v1/nodes/${first.id}/replace`, { by: third.fqdn });
  await world.step(10 * minuteMs);
  const fourth = await new Agent(world, 'node4.acme.org').start();
  await world.call('POST', `/api/v1/nodes/${third.id}/replace`, { by: fourth.id, force: true });
  await world.step(10 * minuteMs);
}

/**
 * One has no agent that may call out: another system vouches for it, by the bus and by the API; it restarts, is lost,
 * found, and speaks for itself at last.
 */
export async function aNodeIsVouchedFor(world: World): Promise<void> {
  await nodesUp(world, 1);
  const agent = new Agent(world, 'node2.acme.org');
  await agent.join();
  await world.call('PATCH', `/api/v1/nodes/${agent.id}`, { vouched: true });
  const voucher = new Voucher(world, agent.id, 'node2.acme.org');
  const starts = async (): Promise<void> => {
    await voucher.byBus(voucher.up());
    await world.step(1_000);
    voucher.listen();
  };
  await starts();
  await voucher.byBus(voucher.ready());
  const silence = world.every(10_000, () => voucher.byBus(voucher.beat()));
  await world.step(10 * minuteMs);

  voucher.boot += 1;
  await starts();
  await voucher.byBus(voucher.up({ seq: 1 }));
  await world.step(minuteMs);
  await agent.up();
  silence();
  await world.step(20 * minuteMs);
  await voucher.byApi([voucher.up()]);
  const silenced = world.every(10_000, async () => {
    await voucher.byApi([voucher.beat()]);
  });
  await world.step(10 * minuteMs);
  silenced();
  await world.call('PATCH', `/api/v1/nodes/${agent.id}`, { vouched: false });
  await boots(world, agent);
  agent.beats();
  await world.step(10 * minuteMs);
}
