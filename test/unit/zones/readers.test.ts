import { describe, expect, it } from 'vitest';
import { dayMs } from '../../../lib/core/time.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { encodePage, type SlotMap } from '../../../lib/zones/map/rows/slots.ts';
import { zoneOf } from '../../../lib/zones/reads/zones.ts';
import { planZoneNow } from '../../../lib/zones/tick/plan-zone.ts';
import type { MapPage } from '../../../lib/zones/zone.ts';
import { aNode, nodeFqdn, nodeId } from '../../../tools/support/builders.ts';
import { seeded } from '../../../tools/support/seeded.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

/** Stores a node as decide would have, for the plan to follow. */
async function store({ table, now }: World, node: Node): Promise<void> {
  const ref = { noun: 'node', id: node.id };
  const row = await table.read(keyOf(ref));
  const decision = { does: 'write', next: { ...node, awaitsPlan: true }, events: [], because: 'a test says so' } as const;
  await table.commit([{ put: contentOf(ref, row, decision, { by: 'test', at: now(), exact: true })!, readRev: row?.rev ?? 0 }]);
}

const nodeIn = async ({ table }: World, n: number): Promise<Node | undefined> =>
  (await table.read(keyOf({ noun: 'node', id: nodeId(n) })))?.body as Node | undefined;

/** One node changes: it joins, is lost, or comes back. */
async function change(world: World, n: number): Promise<void> {
  const planner = world.environment('sweep');
  const before = await nodeIn(world, n);
  const soon = (world.now() + 38_000) as never;
  const { index: _none, ...fresh } = aNode({ id: nodeId(n), fqdn: nodeFqdn(n), leaseUntil: soon });
  const { leaseUntil: _lease, ...unleased } = (before ?? fresh) as typeof fresh;
  const next: Node = !before
    ? fresh
    : before.status === 'up'
      ? { ...before, status: 'suspect', was: 'up' }
      : ({ ...unleased, status: 'down', downAt: world.now(), returning: { leaseUntil: soon } } as Node);
  await store(world, next);
  await planZoneNow(planner, 'default', [nodeId(n)], { type: 'tick' });
}

const pageOf = async ({ table }: World) => {
  const row = await table.read(keyOf({ noun: 'map', id: 'default/0' }));
  return { version: (row!.body as MapPage).version, at: row!.at };
};
const mapOf = async (shell: Shell) => (await zoneOf(shell, 'default'))!.map;
/** Whether two maps say the same: bytes are compared a hundred times faster than lists of numbers. */
const isSameMap = (a: SlotMap, b: SlotMap): boolean => Buffer.compare(encodePage(a, 0), encodePage(b, 0)) === 0;
/** An environment that has just begun: it knows nothing. */
const newReader = (world: World): Shell => ({ ...world.environment('knock'), caches: new Map() });

describe("a reader's map, in a zone of 16,384 slots", () => {
  it("is the planner's all through 200 changes, for a reader that followed and for one that has just begun; pages every 64 versions", async () => {
    const world = await stepped({ slots: 16_384, zoneMaxAgeMs: 0 });
    const random = seeded(16_384);
    const follower = world.environment('knock');
    const pages: number[] = [];
    for (let changes = 0; changes < 200; changes++) {
      await change(world, changes < 5 ? changes + 1 : 1 + Math.floor(random() * 12));
      await world.step(1);
      if (changes % 4 === 0) expect(isSameMap(await mapOf(follower), await mapOf(world.environment('sweep')))).toBe(true);
      if (changes % 20 === 0) expect(isSameMap(await mapOf(newReader(world)), await mapOf(world.environment('sweep')))).toBe(true);
      const { version } = await pageOf(world);
      if (version !== pages.at(-1)) pages.push(version);
    }
    const { head } = (await zoneOf(follower, 'default'))!;
    expect(pages.slice(1).map((version, n) => version - pages[n]!)).toEqual(pages.slice(1).map(() => 64));
    expect(head.mapVersion - pages.at(-1)!).toBeLessThan(64);
    expect(await mapOf(newReader(world))).toEqual(await mapOf(world.environment('sweep')));
  });

  it('does not age out with the deltas: pages are written again while these are kept', async () => {
    const world = await stepped({ slots: 16_384, sweepPeriodMs: 600_000 });
    for (const n of [1, 2, 3]) await change(world, n);
    await change(world, 3);
    const map = await mapOf(newReader(world));

    // The nodes of this test do not beat: of the zone's own rows only the head is due.
    for (const n of [1, 2, 3]) await quiet(world, n);
    await world.step(3 * dayMs);

    expect([...world.table.rows.keys()].filter((key) => key.includes('delta'))).toEqual([]);
    expect(await mapOf(newReader(world))).toEqual(map);
  });
});

/** Takes a node out of the due index. */
async function quiet({ table, now }: World, n: number): Promise<void> {
  const row = (await table.read(keyOf({ noun: 'node', id: nodeId(n) })))!;
  const { wakeAt: _none, rev, ...content } = row;
  await table.commit([{ put: { ...content, at: now() }, readRev: rev }]);
}
