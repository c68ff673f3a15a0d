import { contract } from '../../lib/contract.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { zoneOf } from '../../lib/zones/reads/zones.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import type { SimulatedHost } from '../../test/simulation/world/host.ts';
import type { SimulatedSystem } from '../../test/simulation/world/system.ts';
import { aShell } from '../support/a-shell.ts';
import type { Bound, Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, quantile } from './rounds.ts';
import { isOnboarded, type SimulatedSite, simulatedSite } from './sites/simulated-site.ts';

const secondMs = 1_000;
const minuteMs = 60_000;

/**
 * The times of one lost node: when it died, when it was down, and when each of its client systems was confirmed on
 * another, in ms after its death.
 */
type Loss = { readonly downMs: number; readonly placedMs: readonly number[] };

/**
 * How long a site rests before the next loss. The moment itself is random, so that losses come at any time between two
 * heartbeats.
 */
const restMs = 3 * minuteMs;

/**
 * Loses some nodes one after another; each comes back once its client systems are placed, which may take up to half an
 * hour.
 */
async function losses(site: SimulatedSite, count: number): Promise<Loss[]> {
  const { kernel, world } = site;
  const random = kernel.random('losses');
  const all: Loss[] = [];
  for (const host of world.hosts.slice(0, count)) {
    await kernel.run((kernel.now + restMs + Math.round(random() * minuteMs)) as EpochMs);
    all.push(await lose(site, host, 30 * minuteMs));
    host.start();
  }
  return all;
}

/**
 * Switches a node off and waits until each of its client systems is confirmed on another. Throws when one is not within
 * `withinMs`.
 */
async function lose({ kernel, systemsOn, downAt }: SimulatedSite, host: SimulatedHost, withinMs: number): Promise<Loss> {
  const theirs = systemsOn(host);
  const diedAt = kernel.now;
  host.stop(true);
  const placedAt = new Map<SimulatedSystem, EpochMs>();
  await kernel.run((diedAt + withinMs) as EpochMs, () => {
    for (const system of theirs) if (!placedAt.has(system) && isElsewhere(system, host)) placedAt.set(system, kernel.now);
    return placedAt.size === theirs.length;
  });
  const down = downAt(host);
  if (down === undefined || placedAt.size < theirs.length)
    throw new Error(
      `${host.fqdn} is ${down === undefined ? 'not ' : ''}down and ${theirs.length - placedAt.size} of its client systems are nowhere`,
    );
  return { downMs: down - diedAt, placedMs: [...placedAt.values()].map((at) => at - diedAt) };
}

const isElsewhere = (system: SimulatedSystem, { fqdn }: SimulatedHost): boolean => isOnboarded(system) && system.kept.place?.fqdn !== fqdn;

const seconds = (ms: number): number => ms / secondMs;

function figure(what: string, ms: number, target: Bound, note: string): Figure {
  return { what, measured: seconds(ms), unit: 's', target, note };
}

/** The shapes of a deployment, and how soon a dead node should be known there at the usual interval of 10 s. */
const shapes = [
  { shape: 'embedded', is: 'embedded', known: { atMost: 40 } },
  { shape: 'aws', is: 'schedule of AWS', known: { atMost: 48 } },
] as const;

async function withoutAdmissionSchedule({ shape, is, known }: (typeof shapes)[number]): Promise<Figure[]> {
  const [nodes, clients, lost] = [20, 800, 12];
  const all = await losses(await simulatedSite({ seed: 1, shape, nodes, clients, admitEveryMs: 0 }), lost);
  const down = all.map(({ downMs }) => downMs);
  const placed = all.flatMap(({ placedMs }) => placedMs);
  const of = `${is}; ${lost} losses among ${nodes} nodes, virtual time`;
  const spread = `${seconds(Math.min(...down)).toFixed(1)} to ${seconds(Math.max(...down)).toFixed(1)} s`;
  return [
    figure(
      `a dead node is down, the slowest (${is})`,
      Math.max(...down),
      known,
      `${of}; ${spread}, median ${seconds(median(down)).toFixed(1)} s`,
    ),
    figure(
      `a client system of a dead node is placed, p50 (${is})`,
      median(placed),
      { atMost: 65 },
      `${placed.length} client systems; ${of}`,
    ),
    figure(
      `a client system of a dead node is placed, p99 (${is})`,
      quantile(placed, 0.99),
      { atMost: 100 },
      `the last after ${seconds(Math.max(...placed)).toFixed(1)} s`,
    ),
  ];
}

/** The zone's forecast for a node that is down, beside the time at which the last of its client systems is placed. */
async function withAdmissionSchedule(): Promise<Figure[]> {
  const site = await simulatedSite({ seed: 2, shape: 'aws', nodes: 6, clients: 600, admitEveryMs: 15_000 });
  const { kernel, world, systemsOn } = site;
  await kernel.run((kernel.now + restMs) as EpochMs);
  const [host] = world.hosts;
  const theirs = systemsOn(host!);
  const lost = lose(site, host!, 180 * minuteMs);
  let promised: number | undefined;
  kernel.after(2 * minuteMs, 'the forecast is read', () => {
    void world.operator.ask(contract.getZone, { params: { zone: defaultZone } }).then((zone) => {
      if (zone?.forecast?.allPlacedAt) promised = Date.parse(zone.forecast.allPlacedAt);
    });
  });
  const diedAt = kernel.now;
  const { placedMs } = await lost;
  if (promised === undefined) throw new Error('the zone made no forecast two minutes after the loss');
  const took = Math.max(...placedMs);
  const off = Math.abs(promised - diedAt - took) / took;
  return [
    {
      what: 'with one admission per 15 s: forecast beside when all were placed, off by',
      measured: 100 * off,
      unit: '%',
      target: { atMost: 10 },
      note: `${theirs.length} client systems, 5 nodes left: promised ${seconds(promised - diedAt).toFixed(0)} s, took ${seconds(took).toFixed(0)} s`,
    },
  ];
}

/** Not quite half of the nodes are cut off for two minutes, as by a switch, and come back. */
async function blip(): Promise<Figure[]> {
  const [nodes, silent, silentMs] = [50, 20, 2 * minuteMs];
  const site = await simulatedSite({ seed: 3, shape: 'aws', nodes, clients: 500, admitEveryMs: 0 });
  const { kernel, world } = site;
  await kernel.run((kernel.now + restMs) as EpochMs);
  const before = { owner: await ownersOf(site), places: world.systems.map(({ kept }) => kept.place?.fqdn) };
  for (const { line } of world.hosts.slice(0, silent)) line.cutUntil = kernel.now + silentMs;
  await kernel.run((kernel.now + silentMs + 10 * minuteMs) as EpochMs);
  const owner = await ownersOf(site);
  const note = `${silent} of ${nodes} nodes silent for ${silentMs / secondMs} s, remapAfter 0, virtual time`;
  const moved = world.systems.filter(({ kept }, n) => kept.place?.fqdn !== before.places[n]).length;
  return [
    { what: 'blip: client systems that moved', measured: moved, unit: `of ${world.systems.length}`, target: { atMost: 0 }, note },
    {
      what: 'blip: slots that moved',
      measured: owner.filter((now, slot) => now !== before.owner[slot]).length,
      unit: 'slots',
      target: { atMost: 0 },
      note,
    },
  ];
}

/** The owner of each slot now. */
async function ownersOf({ world, kernel }: SimulatedSite): Promise<Uint16Array> {
  const zone = await zoneOf({ ...aShell(), table: world.cluster.store.calm, now: () => kernel.now }, defaultZone);
  return zone!.map.owner.slice();
}

await program(async () => {
  const figures: Figure[] = [];
  for (const shape of shapes) figures.push(...(await withoutAdmissionSchedule(shape)));
  return [...figures, ...(await withAdmissionSchedule()), ...(await blip())];
});
