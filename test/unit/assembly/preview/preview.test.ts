import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ZonePreview } from '../../../../lib/assembly/preview/routes.ts';
import { nodeRef } from '../../../../lib/nodes/node.ts';
import { fqdnRef } from '../../../../lib/nodes/rows/name.ts';
import type { SlotMap } from '../../../../lib/zones/map/rows/slots.ts';
import { splitMap } from '../../../../lib/zones/map/split.ts';
import { zoneNow } from '../../../../lib/zones/reads/zones.ts';
import { counted, fallSilent, obedient, pinned, type SomeNode, store, zoneOfNodes } from '../../../../tools/support/a-zone-of-nodes.ts';
import { aNode, at, nodeFqdn, nodeId } from '../../../../tools/support/builders.ts';
import { seeded } from '../../../../tools/support/seeded.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

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
  await world.step(2_500);
  obedient(world, nodes.length);
  await world.step(2_500);
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
  return ZonePreview.parse(body);
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
        if (rest.drains === undefined || rest.drains === dropped) expect(wrong).toEqual([]);
        // The agent of another node that drains confirms its releases at any moment, and a few slots then go elsewhere.
        else expect(wrong.length / now.owner.length).toBeLessThan(0.02);
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});

describe('a preview of a drain', () => {
  it('tells how long it takes by the budgets, and is what the drain then does, slot by slot', async () => {
    const world = await scene({ nodes: some(6), slots: 4_096 });
    await world.step(2 * 3_600_000);
    const before = await mapNow(world);
    const said = await preview(world, `drain=${nodeFqdn(2)}`);
    await world.call('POST', `/api/v1/nodes/${nodeId(2)}/leave`, {});
    await world.step(2 * 3_600_000);

    expect(said).toMatchObject({ others: [], waiting: { slots: 0 }, isComplete: true });
    expect(said.nodes[1]).toMatchObject({ standing: 'dropped', slots: { after: 0 } });
    expect(said.forecast.because).toMatch(/the last slot moves after \d+ min/);
    const now = await mapNow(world);
    expect(differing(foretold(before, said, now.owner.length), now)).toEqual([]);
  });

  it('is refused as the drain would be', async () => {
    const world = await scene({ nodes: some(2) });
    await drop(world, 1);
    await world.step(5_000);
    const [asked, ordered] = [await ask(world, `drain=${nodeId(1)}`), await world.call('POST', `/api/v1/nodes/${nodeId(1)}/leave`, {})];

    expect(asked.status).toBe(409);
    expect((asked.body as { detail: string }).detail).toBe((ordered.body as { detail: string }).detail);
  });
});

describe('a preview of a loss', () => {
  it('waits for the lease, and then the slots move; what the plan does is what it said', async () => {
    const world = await scene({ nodes: some(5) });
    const before = await mapNow(world);
    const said = await preview(world, `lose=${nodeFqdn(4)}`);
    await fallSilent(world, 4);
    await world.step(60_000);

    expect(said).toMatchObject({ what: 'lose node4.acme.org', others: [], guards: [], waiting: { slots: 0 } });
    expect(said.nodes[3]).toMatchObject({ standing: 'down' });
    expect(said.because.join('\n')).toContain('node4.acme.org is down');
    const now = await mapNow(world);
    expect(differing(foretold(before, said, now.owner.length), now)).toEqual([]);
  });

  it('names the guard-rail that would hold the nodes, and what ends it', async () => {
    const world = await scene({ nodes: some(3) });
    const said = await preview(world, `lose=${nodeFqdn(1)},${nodeFqdn(2)}`);

    expect(said.guards).toMatchObject([{ rule: 7, overruledBy: 'muster zone calm default' }]);
    expect(said.moved.slots).toBe(0);
    expect(said.waiting.slots).toBeGreaterThan(0);
  });

  it('that has begun: a drop of a node that is held names the rule, and how to overrule it', async () => {
    const world = await scene({ nodes: [...some(6, { labels: { rack: 'r1' } }), ...some(2, { labels: { rack: 'r2' } })] });
    for (const n of [7, 8]) await fallSilent(world, n);
    await world.step(45_000);

    expect((await preview(world, `drop=${nodeFqdn(7)}`)).guards).toMatchObject([
      { rule: 8, because: expect.stringContaining('rack r2'), overruledBy: 'muster node drop node7.acme.org --overrule 8' },
    ]);
  });

  it('is of all nodes with a label, such as a rack, whose silence is a fault of the network', async () => {
    const rack = (of: string): SomeNode => ({ labels: { rack: of } });
    const world = await scene({ nodes: [...some(6, rack('r1')), ...some(2, rack('r2'))] });
    const said = await preview(world, 'lose=rack=r2');

    expect(said.what).toBe('lose node7.acme.org, node8.acme.org');
    expect(said.guards).toMatchObject([{ rule: 8 }]);
    expect((await ask(world, 'lose=rack=r9')).status).toBe(404);
  });

  it('says until when the client systems wait for a node that admits them one by one', async () => {
    const world = await scene({ nodes: some(4, { admitEveryMs: 1_000 }) });
    const said = await preview(world, `lose=${nodeFqdn(4)}`);

    expect(Date.parse(said.forecast.movedAt!) - world.now()).toBeGreaterThan(600_000);
    expect(Date.parse(said.forecast.allPlacedAt!)).toBeGreaterThan(Date.parse(said.forecast.movedAt!));
    expect(said.forecast.because).toContain('admits one per 1 s');
  });
});

describe('a preview', () => {
  it('of a weight shows what moves to the node', async () => {
    const world = await scene({ nodes: some(4), slots: 4_096 });
    const said = await preview(world, `weight=${nodeFqdn(4)}:2`);

    expect(said.what).toBe('set the weight of node4.acme.org from 1 to 2');
    const { before, after } = said.nodes[3]!.systemsAbout;
    expect(after).toBeGreaterThan(1.4 * before);
    expect(said.nodes.reduce((sum, { slots }) => sum + slots.after, 0)).toBe(said.slots);
  });

  it('of a replacement has the heir take index and home, and nobody else moves', async () => {
    const world = await scene({ nodes: some(3) });
    const { index: _none, ...fresh } = aNode({ id: nodeId(9), fqdn: nodeFqdn(9), leaseUntil: at(86_400) });
    await store(world, nodeRef(nodeId(9)), fresh);
    await store(world, fqdnRef(nodeFqdn(9)), { node: nodeId(9) });
    const said = await preview(world, `replace=${nodeFqdn(2)}&with=${nodeFqdn(9)}`);

    expect(said.guards).toMatchObject([{ because: expect.stringContaining('requires force'), overruledBy: 'muster node replace --force' }]);
    expect(said.nodes[1]).toMatchObject({ index: 1, fqdn: nodeFqdn(9), standing: 'up' });
    expect(said.moved.slots).toBe(0);
    expect(said.others).toEqual([]);
  });

  it('of a freeze shows that a drop would wait, by which rule, and what ends it', async () => {
    const world = await scene({ nodes: some(3) });
    await world.call('POST', '/api/v1/zones/default/freeze', { what: 'moves' });
    const said = await preview(world, `drop=${nodeFqdn(1)}`);

    expect(said.guards).toMatchObject([{ rule: 16, overruledBy: 'muster zone unfreeze default' }]);
    expect(said.moved.slots).toBe(0);
    expect(said.waiting.slots).toBeGreaterThan(300);
    expect((await preview(world, 'freeze=off')).what).toBe('set freeze usual');
  });

  it('of a drop for which there is no room says so by rule 15', async () => {
    const world = await scene({ nodes: some(3, { capacity: 900 }), perSlot: 5 });
    const said = await preview(world, `drop=${nodeFqdn(1)}`);

    expect(said.guards).toMatchObject([{ rule: 15 }]);
    expect(said.waiting.slots).toBeGreaterThan(0);
    expect(said.nodes.slice(1).every(({ room }) => room !== undefined && room >= 0)).toBe(true);
  });

  it('takes one order, of a node of the zone', async () => {
    const world = await scene({ nodes: some(2) });
    expect((await ask(world, '')).status).toBe(422);
    expect((await ask(world, `drop=${nodeId(1)}&drain=${nodeId(2)}`)).status).toBe(422);
    expect((await ask(world, `replace=${nodeId(1)}`)).status).toBe(422);
    expect((await ask(world, `weight=${nodeId(1)}:1000`)).status).toBe(422);
    expect((await ask(world, `drop=${nodeId(7)}`)).status).toBe(404);
    expect((await world.call('GET', `/api/v1/zones/lab/preview?drop=${nodeId(1)}`)).status).toBe(404);
  });
});
