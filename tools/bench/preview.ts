import { counted, zoneOfNodes } from '../support/a-zone-of-nodes.ts';
import { nodeId } from '../support/builders.ts';
import { seeded } from '../support/seeded.ts';
import { stepped, type World } from '../support/stepped.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, spread } from './rounds.ts';

const sizes = [
  { nodes: 12, slots: 4_096 },
  { nodes: 100, slots: 32_768 },
] as const;
/** The orders, with the longest that one may take for 12 nodes and for 100, in ms of processor time. */
const orders = [
  { order: 'drop', atMost: [25, 110] },
  { order: 'drain', atMost: [250, 250] },
  { order: 'lose', atMost: [25, 110] },
] as const;
/** The first ones are not compiled yet. */
const [unmeasured, rounds] = [3, 11];

/** A zone at rest, with some two client systems a slot. */
async function zoneAtRest({ nodes, slots }: (typeof sizes)[number]): Promise<World> {
  const world = await stepped({ slots });
  await zoneOfNodes(
    world.environment('sweep'),
    Array.from({ length: nodes }, () => ({})),
  );
  const random = seeded(1);
  await counted(
    world,
    Uint16Array.from({ length: slots }, () => Math.floor(random() * 6)),
  );
  await world.step(3 * 3_600_000);
  return world;
}

/** The processor time of one preview, in ms. */
async function msOf(world: World, order: string): Promise<number> {
  const before = process.cpuUsage();
  const { status, body } = await world.call('GET', `/api/v1/zones/default/preview?${order}=${nodeId(3)}`);
  const { user, system } = process.cpuUsage(before);
  const moved = status === 200 ? (body as { moved: { slots: number } }).moved.slots : 0;
  if (moved === 0) throw new Error(`the preview of ${order} moves nothing: there is nothing to measure`);
  return (user + system) / 1_000;
}

async function figuresOf(size: (typeof sizes)[number], at: number): Promise<Figure[]> {
  const world = await zoneAtRest(size);
  const figures: Figure[] = [];
  for (const { order, atMost } of orders) {
    const all: number[] = [];
    for (let n = 0; n < unmeasured + rounds; n++) all.push(await msOf(world, order));
    const ms = all.slice(unmeasured);
    const what = `preview: ${order} a node (${size.nodes} nodes, ${size.slots.toLocaleString('en-US')} slots)`;
    const note = `processor time, ${spread(ms, (one) => one.toFixed(1))}`;
    figures.push({ what, measured: median(ms), unit: 'ms', target: { atMost: atMost[at]! }, note });
  }
  return figures;
}

await program(async () => {
  const figures: Figure[] = [];
  for (const [at, size] of sizes.entries()) figures.push(...(await figuresOf(size, at)));
  return figures;
});
