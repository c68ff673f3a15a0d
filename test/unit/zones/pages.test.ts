import { describe, expect, it } from 'vitest';
import { dayMs, hourMs } from '../../../lib/core/time.ts';
import { deltaSort, zonePartition } from '../../../lib/ports/table/keys.ts';
import { zoneNow } from '../../../lib/zones/reads/zones.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

/** A zone whose map is kept in pages and deltas, with nodes that have shared its slots. */
async function aDividedZone(): Promise<{ world: World; agents: Agent[] }> {
  const world = await stepped({ slots: 4096 });
  const agents: Agent[] = [];
  for (const n of [1, 2, 3]) agents.push(await new Agent(world, `node${n}.acme.org`).start());
  await world.step(60_000);
  return { world, agents };
}
const mapOf = async (world: World) => (await zoneNow(world.environment('admin'), 'default'))!.map;
const deltasOf = async ({ table }: World) =>
  (await table.query({ pk: zonePartition('default'), from: deltaSort(0), to: deltaSort(9_999_999_999), limit: 100 })).items;

describe('a map in pages and deltas', () => {
  it('is whole after Muster was off for a week, although no page was written since it moved', async () => {
    const { world } = await aDividedZone();
    const before = await mapOf(world);
    expect(await deltasOf(world)).not.toEqual([]);

    world.sleep(7 * dayMs);
    await world.table.removeExpired(world.now(), 1_000);

    expect(new Set(before.owner)).toEqual(new Set([0, 1, 2]));
    expect(await mapOf(world)).toEqual(before);
  });

  it('lets go of its deltas once the pages hold them, a day later', async () => {
    const { world } = await aDividedZone();
    const before = await mapOf(world);

    await world.step(6 * hourMs + 60_000);
    expect((await deltasOf(world)).every(({ expiresAt }) => expiresAt !== undefined)).toBe(true);
    world.sleep(dayMs + hourMs);
    await world.table.removeExpired(world.now(), 1_000);

    expect(await deltasOf(world)).toEqual([]);
    expect(await mapOf(world)).toEqual(before);
  });
});
