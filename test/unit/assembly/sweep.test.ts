import { describe, expect, it } from 'vitest';
import { sweep } from '../../../lib/assembly/sweep.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import { type Deployment, decideDeployment } from '../../../lib/deployment/deployment.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

const nodeOf = async ({ table }: World, agent: Agent): Promise<Node> =>
  (await table.read(keyOf({ noun: 'node', id: agent.id })))!.body as Node;
const statusOf = async (world: World, agents: readonly Agent[]) =>
  Promise.all(agents.map(async (agent) => (await nodeOf(world, agent)).status));
/** Every node of the world, three of them, is up and beats. */
async function aWorldOfThree(): Promise<{ world: World; agents: [Agent, Agent, Agent] }> {
  const world = await stepped();
  const agents: [Agent, Agent, Agent] = [
    new Agent(world, 'node1.acme.org'),
    new Agent(world, 'node2.acme.org'),
    new Agent(world, 'node3.acme.org'),
  ];
  for (const agent of agents) await agent.start();
  return { world, agents };
}

describe('a sweep', () => {
  it('finds who has gone quiet, within one period of the end of its lease', async () => {
    const { world, agents } = await aWorldOfThree();
    agents[1].fallSilent();
    const { leaseUntil } = (await nodeOf(world, agents[1])) as { leaseUntil: number };

    await world.step(leaseUntil - world.now() - 1);
    expect(await statusOf(world, agents)).toEqual(['up', 'up', 'up']);
    await world.step(5_001);

    expect(await statusOf(world, agents)).toEqual(['up', 'down', 'up']);
  });

  it('where nodes stay due writes nothing for those that beat, and still finds who has gone quiet within a period of the end of its lease', async () => {
    const world = await stepped({ staysDueMs: 45_000, hearsAtOnce: true });
    const agents = [await new Agent(world, 'node1.acme.org').start(), await new Agent(world, 'node2.acme.org').start()];
    await world.step(10 * minuteMs);
    const wakeAt = async (agent: Agent) => (await world.table.read(keyOf({ noun: 'node', id: agent.id })))!.wakeAt!;
    const before = await Promise.all(agents.map(wakeAt));
    await world.step(10 * minuteMs);
    expect(await Promise.all(agents.map(wakeAt))).toEqual(before);
    expect(before.every((at) => at < world.now())).toBe(true);

    agents[1]!.fallSilent();
    const { leaseUntil } = (await nodeOf(world, agents[1]!)) as { leaseUntil: number };
    await world.step(leaseUntil - world.now() - 1);
    expect(await statusOf(world, agents)).toEqual(['up', 'up']);
    await world.step(5_001);
    expect(await statusOf(world, agents)).toEqual(['up', 'down']);
  });

  it('where nodes stay due decides again on a row that it saw as it was a moment ago', async () => {
    const world = await stepped({ staysDueMs: 45_000, hearsAtOnce: true });
    const agent = await new Agent(world, 'node1.acme.org').start();
    await world.step(minuteMs);
    const key = keyOf({ noun: 'node', id: agent.id });
    const old = (await world.table.read(key))!;
    const { readMany } = world.table;
    await world.step(30_000);
    // A reading that is later than any is: by it the lease has run out, and the commit says that the node has been
    // heard since.
    world.table.readMany = async (keys, how) =>
      (await readMany(keys, how)).map((row) => (how === 'lately' && row?.key.pk === key.pk ? old : row));
    await world.step(15_000);
    expect(await nodeOf(world, agent)).toMatchObject({ status: 'up' });
    expect(world.bus.published.filter(({ type }) => type === 'node.suspected')).toEqual([]);
  });

  it('after we slept gives up nobody, and finds who stayed silent once the grace of one lease has passed', async () => {
    const { world, agents } = await aWorldOfThree();
    world.sleep(10 * minuteMs);

    agents[2].fallSilent();
    await world.step(37_000);
    expect(await statusOf(world, agents)).toEqual(['up', 'up', 'up']);
    await world.step(10_000);

    expect(await statusOf(world, agents)).toEqual(['up', 'up', 'down']);
    expect(world.logged.filter(({ code }) => code === 'sweep.late')).toHaveLength(1);
  });

  it('after we slept drops no node for the half hour it was down meanwhile', async () => {
    const { world, agents } = await aWorldOfThree();
    agents[0].fallSilent();
    await world.step(60_000);
    world.sleep(40 * minuteMs);

    await world.step(10_000);
    expect(await statusOf(world, agents)).toEqual(['down', 'up', 'up']);
    await agents[0].up();
    await world.step(5_000);

    expect(await statusOf(world, agents)).toEqual(['up', 'up', 'up']);
  });

  it('writes nothing while nothing is due but the note that it ran', async () => {
    const { world } = await aWorldOfThree();
    const sweepIn = (ms: number): Promise<void> => sweep({ ...world.environment('sweep'), now: () => (world.now() + ms) as never });
    await sweepIn(4_000);
    const before = world.table.meter.rowsWritten;

    await sweepIn(8_000);

    expect(world.table.meter.rowsWritten - before).toBe(1);
  });

  it('keeps the count of admitted nodes, a node that is down among them, until it is dropped', async () => {
    const { world, agents } = await aWorldOfThree();
    const admitted = async () => (await world.table.read(keyOf({ noun: 'deployment', id: 'deployment' })))!.body;
    agents[0].fallSilent();

    await world.step(60_000);
    expect(await admitted()).toEqual({ admitted: { default: 3 } });
    await world.step(31 * minuteMs);

    expect(await admitted()).toEqual({ admitted: { default: 2 } });
    expect(await statusOf(world, agents)).toEqual(['dropped', 'up', 'up']);
  });

  it('mends a count of admitted nodes that the sweep which made the plan did not live to write', async () => {
    const { world } = await aWorldOfThree();
    const ref = { noun: 'deployment', id: 'deployment' };
    const command = { type: 'admitted', id: 'before the last plan', zone: 'default', nodes: 2 } as const;
    await apply<Deployment, typeof command>(world.environment('sweep'), ref, command, decideDeployment);

    await world.step(10_000);

    expect((await world.table.read(keyOf(ref)))!.body).toEqual({ admitted: { default: 3 } });
  });

  it('finds its way through clients, counted once in ten minutes', async () => {
    const { world } = await aWorldOfThree();
    for (const name of ['web1', 'web2', 'web3', 'web4']) await new Daemon(world, `${name}.acme.org`).accepted();

    await world.step(11 * minuteMs);

    const { body } = await world.call('GET', '/api/v1/zones/default');
    expect(body).toMatchObject({ systemsAbout: 4 });
  });
});
