import { nextSeconds } from '../../../lib/clients/intervals.ts';
import { turnTimes, waitsFor } from '../../../lib/clients/rows/status.ts';
import type { Fingerprint } from '../../../lib/core/ids.ts';
import { type EpochMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import { nodeRef } from '../../../lib/nodes/node.ts';
import { read } from '../../../lib/runtime/read.ts';
import { forecastOf } from '../../../lib/zones/forecast.ts';
import { setZone } from '../../../lib/zones/handlers/settings.ts';
import { nobody, slotOf } from '../../../lib/zones/map/rows/slots.ts';
import { forgetZone, zoneOf } from '../../../lib/zones/reads/zones.ts';
import type { LoadedZone } from '../../../lib/zones/rows/loaded.ts';
import type { ZoneSettings } from '../../../lib/zones/settings.ts';
import { countsRef, defaultZone } from '../../../lib/zones/zone.ts';
import { PlayedServer } from '../../../programs/loadtest/played-server.ts';
import { counted, store, zoneOfNodes } from '../../support/a-zone-of-nodes.ts';
import { nodeId } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';
import { aSteppedHost, type SteppedHost } from './stepped-host.ts';

/**
 * The nodes of a zone, how many client systems each has, and how many a second the server of each registers, by the ms
 * since the loss.
 */
export type AdmittingZone = {
  readonly nodes: number;
  readonly each: number;
  readonly perS: (node: number, ms: number) => number;
  readonly settings: ZoneSettings;
};

/** How it was at one look, in ms since the loss: how many had come, and when all are forecast to have. */
export type Look = { readonly ms: number; readonly came: number; readonly forecastMs: number | undefined };

/** What the loss of a node took: until the last client system had its turn elsewhere, and what was written for it. */
export type Loss = {
  readonly ms: number;
  readonly systems: number;
  readonly calls: number;
  readonly looks: readonly Look[];
  /** Plans of the zone, and what they wrote; what was written of reports beside the heartbeats: in write units. */
  readonly plans: number;
  readonly planUnits: number;
  readonly reportUnits: number;
};

const stepMs = 5 * secondMs;
const beatMs = 10 * secondMs;
const usualMs = 15 * secondMs;
const restBeats = 30;

/** A client system by its fingerprint, which asks next at this moment. */
type Waiting = { readonly fp: Fingerprint; at: EpochMs };

/**
 * Loses the last node of a zone, in virtual time and by the product's own functions, tables and turns. Client systems
 * are not played in full: each asks when its last answer has it ask, and goes to its node when its turn has come.
 */
export async function loseOne({ nodes, each, perS, settings }: AdmittingZone): Promise<Loss> {
  const host = await aSteppedHost({ admitEveryMs: usualMs });
  const { shell } = host;
  await zoneOfNodes(
    shell,
    Array.from({ length: nodes }, () => ({ kind: 'uyuni' as const })),
  );
  await host.pass(12 * stepMs);
  await counted(
    shell,
    new Uint16Array((await zoneNow(host)).head.slots).fill(Math.round((nodes * each) / (await zoneNow(host)).head.slots)),
  );
  await setZone(shell, defaultZone, { remapAfterMs: 0, ...settings }, 'bench');
  await host.pass(4 * stepMs);
  let begun = shell.now();
  const servers = serversOf(host, nodes, (node) => perS(node, shell.now() - begun));
  // Agents report that they measure, before anything happens.
  for (let n = 0; n < 4; n++) await passBeating(host, servers);
  host.ledger.settle();
  for (let n = 0; n < restBeats; n++) await passBeating(host, servers);
  const restUnits = host.ledger.settle().rhythm.units / restBeats;
  const before = await zoneNow(host);
  const lost = nodes - 1;
  const waiting = systemsOf(before, lost, (await read(shell, countsRef(defaultZone)))!.perSlot, shell.now());
  begun = shell.now();
  await fallSilent(host, nodes);
  return { ...(await recovered(host, { servers, waiting, begun, restUnits })), systems: waiting.length };
}

/** The lease of a node has run out. */
async function fallSilent({ shell }: SteppedHost, n: number): Promise<void> {
  const node = (await read(shell, nodeRef(nodeId(n))))!;
  await store(shell, nodeRef(nodeId(n)), { ...node, heardAt: plusMs(shell.now(), -60_000), leaseUntil: shell.now() }, shell.now());
}

type Server = { readonly server: PlayedServer; readonly n: number; seq: number; time: EpochMs };

function serversOf({ shell }: SteppedHost, nodes: number, perS: (node: number) => number): Server[] {
  const random = seeded(3);
  return Array.from({ length: nodes }, (_, i) => {
    const one: { -readonly [K in keyof Server]: Server[K] } = { n: i + 1, seq: 0, time: shell.now(), server: undefined as never };
    one.server = new PlayedServer({ now: () => one.time, perS: () => perS(i), jobMs: () => 6_000 + 6_000 * random() });
    return one;
  });
}

/** A period of the sweep; every other one brings the heartbeats of the nodes that are there. */
async function passBeating(host: SteppedHost, servers: readonly Server[]): Promise<void> {
  const { shell } = host;
  for (const one of servers) {
    one.time = shell.now();
    one.server.work();
    one.seq += 1;
    const load = { load1: 0.5, load5: 0.5, load15: 0.5, memoryUsedMib: 1_024, memoryMib: 4_096, systems: 0 };
    const stamps = { id: shell.newId(), node: nodeId(one.n), incarnation: 1, seq: one.seq, receivedAt: shell.now(), intervalMs: beatMs };
    const report = { type: 'node.heartbeat', version: 1, ...stamps, data: { load, bearing: one.server.meter.read() } };
    await shell.queue.send('heartbeats', JSON.stringify(report));
    one.server.meter.acknowledged();
  }
  await host.pass(beatMs);
}

/** The client systems of a node, as many to a slot as were counted, with fingerprints that are spread within it. */
function systemsOf({ head, map }: LoadedZone, node: number, perSlot: Uint8Array, now: EpochMs): Waiting[] {
  const random = seeded(11);
  const view = new DataView(perSlot.buffer, perSlot.byteOffset);
  const bits = Math.log2(head.slots);
  return [...map.owner.keys()].flatMap((slot) =>
    map.owner[slot] === node
      ? Array.from({ length: view.getUint16(slot * 2) }, () => ({
          fp: fpIn(slot, bits, random),
          at: plusMs(now, Math.floor(60_000 * random())),
        }))
      : [],
  );
}

/** A fingerprint in a slot, otherwise by chance. */
const fpIn = (slot: number, bits: number, random: () => number): Fingerprint => {
  const first = (BigInt(slot) << BigInt(52 - bits)) | BigInt(Math.floor(random() * 2 ** (52 - bits)));
  return `${first.toString(16).padStart(13, '0')}${'0'.repeat(51)}` as Fingerprint;
};

async function zoneNow({ shell }: SteppedHost): Promise<LoadedZone> {
  forgetZone(shell, defaultZone);
  return (await zoneOf(shell, defaultZone))!;
}

/** `restUnits`: what heartbeats and sweeps cost from one heartbeat to the next where nothing happens. */
type Recovering = {
  readonly servers: readonly Server[];
  readonly waiting: readonly Waiting[];
  readonly begun: EpochMs;
  readonly restUnits: number;
};

async function recovered(host: SteppedHost, { servers, waiting, begun, restUnits }: Recovering): Promise<Omit<Loss, 'systems'>> {
  const random = seeded(13);
  const left = new Set(waiting);
  const looks: Look[] = [];
  let [calls, last, beats] = [0, begun, 0];
  const alive = servers.slice(0, -1);
  const before = (await zoneNow(host)).head.version;
  for (let n = 0; left.size > 0; n++) {
    await passBeating(host, alive);
    beats += 1;
    const zone = await zoneNow(host);
    const now = host.shell.now();
    for (const one of [...left].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
      calls += 1;
      const placed = { fp: one.fp, pin: nobody, soft: false, told: undefined };
      const owner = zone.map.owner[slotOf(one.fp, zone.head.slots)]!;
      const turnAt = waitsFor(zone, placed, one.at);
      if (turnAt === undefined && owner < alive.length) {
        left.delete(one);
        last = one.at;
        alive[owner]!.time = one.at;
        alive[owner]!.server.accept(one.fp);
      } else {
        const times = turnTimes(zone, placed, turnAt, one.at);
        one.at = plusMs(one.at, secondMs * nextSeconds('orphan', { now: one.at, random: random(), covered: false, ...times }));
      }
    }
    const forecastAt = n % 6 === 0 ? forecastOf(zone, undefined, now)?.at : undefined;
    if (n % 6 === 0) looks.push({ ms: now - begun, came: waiting.length - left.size, forecastMs: forecastAt && forecastAt - begun });
  }
  const { state, rhythm } = host.ledger.settle();
  const plans = (await zoneNow(host)).head.version - before;
  return {
    ms: last - begun,
    calls,
    looks,
    plans,
    planUnits: state.units,
    reportUnits: Math.max(0, Math.round(rhythm.units - beats * restUnits)),
  };
}
