import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ZonePreview } from '../../../../lib/assembly/preview/routes.ts';
import type { SlotMap } from '../../../../lib/zones/map/rows/slots.ts';
import { splitMap } from '../../../../lib/zones/map/split.ts';
import { zoneNow } from '../../../../lib/zones/reads/zones.ts';
import { nodeFqdn, nodeId } from '../../../../tools/support/builders.ts';
import { seeded } from '../../../../tools/support/seeded.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { counted, obedient, pinned, type SomeNode, zoneOfNodes } from '../../../support/a-zone-of-nodes.ts';

type Scene = {
  readonly nodes: readonly SomeNode[];
  readonly slots?: number;
  readonly seed?: number;
  readonly perSlot?: number;
  /** The n-th node has this many client systems pinned to it. */
  readonly pins?: readonly { readonly n: number; readonly hard: number; readonly soft: number }[];
  readonly drains?: number | undefined;
};

/** A zone with these nodes up, whose agents do as they are ordered. */
async function scene({ nodes, slots = 1_024, seed = 1, perSlot = 6, pins = [], drains }: Scene): Promise<World> {
  const world = await stepped({ slots });
  await zoneOfNodes(world.environment('sweep'), nodes);
  const random = seeded(seed);
  await counted(
    world,
    Uint16Array.from({ length: slots }, () => Math.floor(random() * perSlot)),
  );
  if (pins.length > 0)
    await pinned(
      world,
      pins.map(({ n, hard, soft }) => ({ index: n - 1, hard, soft })),
    );
  obedient(world, nodes.length);
  if (drains !== undefined) {
    await world.call('POST', `/api/v1/nodes/${nodeId(drains)}/leave`, {});
    await world.step(20_000);
  }
  return world;
}

const some = (count: number, given: SomeNode = {}): SomeNode[] => Array.from({ length: count }, () => given);
const ask = (world: World, query: string) => world.call('GET', `/api/v1/zones/default/preview?${query}`);
async function preview(world: World, query: string): Promise<ZonePreview> {
  const { status, body } = await ask(world, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as ZonePreview;
}
const mapNow = async (world: World): Promise<SlotMap> => (await zoneNow(world.environment('sweep'), 'default'))!.map;
const movesIn = ({ moves }: ZonePreview): [slot: number, owner: number, home: number][] => {
  const bytes = Buffer.from(moves, 'base64');
  return Array.from({ length: bytes.length / 8 }, (_, n) => [
    bytes.readUInt32LE(n * 8),
    bytes.readUInt16LE(n * 8 + 4),
    bytes.readUInt16LE(n * 8 + 6),
  ]);
};
/** The map that a preview foretells, in so many slots: a split moves nobody. */
function foretold(before: SlotMap, said: ZonePreview, slots: number): SlotMap {
  const map = splitMap(before, said.slots);
  for (const [slot, owner, home] of movesIn(said)) {
    map.owner[slot] = owner;
    map.home[slot] = home;
  }
  return splitMap(map, slots);
}
/** The slots in which two maps differ. */
const differing = (one: SlotMap, other: SlotMap): number[] =>
  Array.from(one.owner.keys()).filter((slot) => one.owner[slot] !== other.owner[slot] || one.home[slot] !== other.home[slot]);
const drop = (world: World, n: number) => world.call('POST', `/api/v1/nodes/${nodeId(n)}/drop`, {});

describe('a preview of a drop', () => {
  it('names the slots that move and their new nodes, and nobody else moves', async () => {
    const world = await scene({ nodes: some(12), slots: 4_096 });
    const body = await preview(world, `drop=${nodeFqdn(6)}`);

    expect(body).toMatchObject({ zone: 'default', what: 'drop node6.acme.org', slots: 4_096, others: [], guards: [], isComplete: true });
    expect(body.waiting).toEqual({ slots: 0, systemsAbout: 0 });
    expect(body.moved.slots).toBe(movesIn(body).length);
    expect(body.nodes).toHaveLength(12);
    expect(body.nodes[5]).toMatchObject({ fqdn: 'node6.acme.org', standing: 'dropped', slots: { after: 0 }, systemsAbout: { after: 0 } });
    expect(body.nodes.reduce((sum, { slots }) => sum + slots.after, 0)).toBe(4_096);
    expect(body.because.join('\n')).toContain('node6.acme.org is dropped: an operator gave it up');
  });

  it('changes no row, sends nothing and logs nothing', async () => {
    const world = await scene({ nodes: some(3) });
    const before = structuredClone([...world.table.rows]);
    const acted = async () => [
      world.logged.length,
      world.bus.published.length,
      ...(await Promise.all((['heartbeats', 'reports', 'sweeps', 'webhooks'] as const).map((one) => world.queue.depth(one)))),
    ];
    const was = await acted();
    await preview(world, `drop=${nodeFqdn(1)}`);
    await preview(world, `drain=${nodeFqdn(1)}`);
    await preview(world, `lose=${nodeFqdn(1)}`);
    await preview(world, `weight=${nodeFqdn(1)}:2`);

    expect([...world.table.rows]).toEqual(before);
    expect(await acted()).toEqual(was);
  });
});

/** Any zone of 1 to 12 nodes. */
const anyScene = fc.integer({ min: 1, max: 12 }).chain((count) =>
  fc.record({
    nodes: fc.array(
      fc.record({
        weight: fc.constantFrom(1, 1, 1, 2, 0.5),
        capacity: fc.constantFrom(undefined, undefined, 400, 3_000),
        labels: fc.constantFrom({}, { rack: 'r1' }, { rack: 'r2' }),
      }),
      { minLength: count, maxLength: count },
    ),
    slots: fc.constantFrom(1_024, 4_096),
    seed: fc.nat(1_000),
    perSlot: fc.constantFrom(1, 2, 6),
    pins: fc.array(fc.record({ n: fc.integer({ min: 1, max: count }), hard: fc.nat(5), soft: fc.nat(5) }), { maxLength: 1 }),
    drains: fc.option(fc.integer({ min: 1, max: count }), { nil: undefined }),
    dropped: fc.integer({ min: 1, max: count }),
  }),
);

describe('what a preview said of a drop', () => {
  it('is what the drop then does, slot by slot', async () => {
    await fc.assert(
      fc.asyncProperty(anyScene, async ({ nodes, dropped, ...rest }) => {
        const given = nodes.map(
          ({ capacity, labels, weight }) => ({ weight, labels, ...(capacity !== undefined && { capacity }) }) as SomeNode,
        );
        const world = await scene({ nodes: given, ...rest });
        const before = await mapNow(world);
        const said = await preview(world, `drop=${nodeId(dropped)}`);
        await drop(world, dropped);
        await world.step(2 * 3_600_000);

        const now = await mapNow(world);
        const wrong = differing(foretold(before, said, now.owner.length), now);
        const was = splitMap(before, now.owner.length).owner;
        // Another node that drains gives its slots when its agent has confirmed earlier ones, and so at any moment.
        const isOwn = (slot: number): boolean => rest.drains === undefined || was[slot] === dropped - 1;
        expect(wrong.filter(isOwn)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
