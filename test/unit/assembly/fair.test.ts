import { describe, expect, it } from 'vitest';
import { write } from '../../../lib/core/decision.ts';
import { dueShardOf, dueShards, keyOf } from '../../../lib/ports/table/keys.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

/** The sweep of a stepped world runs this often. */
const sweepMs = 5_000;

const refOfProcess = (n: number) => ({ noun: 'process', id: `lab/0x7200000000000001:0x${n.toString(16)}` });

/** So many processes of one storage cluster become due at once. */
async function processesDue({ table, now }: World, count: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const puts = Array.from({ length: Math.min(100, count - from) }, (_, n) => {
      const decision = write({ zone: 'lab' }, 'a test says so', { wakeAt: now() });
      return { put: contentOf(refOfProcess(from + n), undefined, decision, { by: 'test', at: now(), exact: true })!, readRev: 0 };
    });
    await table.commit(puts);
  }
}

const dueProcesses = async ({ table, now }: World): Promise<number> =>
  (await Promise.all(Array.from({ length: dueShards }, (_, shard) => table.due(shard, now(), 6_000))))
    .flat()
    .filter(({ pk }) => pk.startsWith('cluster')).length;

describe('5,000 processes of one storage cluster that are due at once', () => {
  it('keep no node waiting that falls silent behind them in the same shard, and are looked after in a dozen sweeps', async () => {
    const world = await stepped();
    const agents: Agent[] = [];
    for (let n = 1; n <= 12; n++) agents.push(await new Agent(world, `node${n}.acme.org`).start());
    const shard = dueShardOf(keyOf(refOfProcess(0)));
    const behind = agents.find(({ id }) => dueShardOf(keyOf({ noun: 'node', id })) === shard)!;
    behind.fallSilent();
    const nodeKey = keyOf({ noun: 'node', id: behind.id });
    const { leaseUntil } = (await world.table.read(nodeKey))!.body as { leaseUntil: number };
    await world.step(leaseUntil - world.now() - 1);
    await processesDue(world, 5_000);

    await world.step(sweepMs + 1);
    expect((await world.table.read(nodeKey))!.body).toMatchObject({ status: 'down' });

    let sweeps = 1;
    for (; (await dueProcesses(world)) > 0 && sweeps < 50; sweeps++) await world.step(sweepMs);
    expect(sweeps).toBeLessThanOrEqual(Math.ceil(5_000 / 400));
  });
});
