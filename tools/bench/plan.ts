import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import type { Desired } from '../../lib/nodes/desired/desired.ts';
import type { Node } from '../../lib/nodes/node.ts';
import { fillOf } from '../../lib/runtime/commit-size.ts';
import { withEntry } from '../../lib/zones/map/rows/roster.ts';
import type { ZoneSnapshot } from '../../lib/zones/map/snapshot.ts';
import { type Planned, plan } from '../../lib/zones/placing/plan.ts';
import type { LoadedZone } from '../../lib/zones/rows/loaded.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, nsPerCall, spread } from './rounds.ts';
import { aZone, fqdnAt, nodeIdAt, type Size, sizes } from './zone.ts';

const now = 1_767_268_800_000 as EpochMs;
/** Accepted client systems of the zone, a little unevenly over its slots. */
const clients = 1_000_000;
const leaseMs = 38_000;
/**
 * Many plans a round, because the first ones of a process are not compiled yet, and the compiler's time counts as the
 * process's.
 */
const repeats = { calls: 25, rounds: 21 };

const countsOf = (slots: number): Uint16Array =>
  Uint16Array.from({ length: slots }, (_, slot) => Math.round(clients / slots) + ((slot * 7) % 5) - 2);

const rowOf = (index: number) => ({
  id: nodeIdAt(index),
  fqdn: fqdnAt(index),
  kind: 'salt' as const,
  zone: defaultZone,
  publicKey: 'A'.repeat(43),
  watch: `${fqdnAt(index)}:4505`,
  weight: 1,
  labels: {},
  joinedAt: now,
  incarnation: 1,
  generation: 1,
  index,
  seq: 9,
  heardAt: plusMs(now, -38_000),
  leaseUntil: now,
  awaitsPlan: true as const,
});

/**
 * One due node in a zone whose members' desired states have been read, as a plan has them that takes slots from them.
 */
const snapshotOf = (zone: LoadedZone, node: Node): ZoneSnapshot => ({
  zone,
  headRev: 9,
  mapRev: 9,
  pageRevs: [9],
  memberRevs: [9, 9],
  scheduleRevs: [],
  admitEveryMs: 0,
  counts: countsOf(zone.head.slots),
  nodes: [{ body: node, rev: 9, because: 'bench' }],
  desired: new Map(zone.members.map((member) => [member!.node as string, { body: { release: [] } satisfies Desired, rev: 9 }])),
});

/** A member whose lease has expired: all of its slots find another owner. */
function aLoss(size: Size): ZoneSnapshot {
  const zone = aZone(size);
  const lost: Node = { ...rowOf(0), status: 'suspect', was: 'up' };
  const others = Array.from({ length: size.nodes - 1 }, (_, n): Node => {
    return { ...rowOf(n + 1), status: 'up', heardAt: now, leaseUntil: plusMs(now, leaseMs) };
  });
  // The guard-rails have looked at all nodes, and the zone retains no slots for a node that is down.
  return { ...snapshotOf({ ...zone, head: { ...zone.head, remapAtOnce: true } }, lost), allMembers: { nodes: [lost, ...others], leaseMs } };
}

/** One more member, just up: it is owed its share of every slot. */
function aJoin({ nodes, slots }: Size): ZoneSnapshot {
  const zone = aZone({ nodes: nodes + 1, slots });
  const head = { ...zone.head, roster: withEntry(zone.head.roster, nodes, 'joining', 1) };
  return snapshotOf({ ...zone, head, map: aZone({ nodes, slots }).map }, { ...rowOf(nodes), status: 'up' });
}

/** How many slots a plan moves, by its own count. */
function movedBy({ changes }: Planned): number {
  const events = changes.flatMap(({ decision }) => (decision.does === 'write' ? decision.events : []));
  const moved = events.find(({ type }) => type === 'zone.rebalanced');
  return moved ? (moved.data as { slots: number }).slots : 0;
}

function figureOf(what: string, { nodes, slots }: Size, snapshot: ZoneSnapshot): Figure {
  const planned = plan(snapshot, now, fillOf);
  if (movedBy(planned) === 0) throw new Error(`to plan ${what} moves nothing: there is nothing to measure`);
  const ms = nsPerCall(() => plan(snapshot, now, fillOf).changes.length, repeats).map((ns) => ns / 1e6);
  const note = `${planned.changes.length} rows, ${movedBy(planned)} slots move; processor time, ${spread(ms, (one) => one.toFixed(2))}`;
  return { what: `plan ${what} (${nodes} nodes, ${slots.toLocaleString('en-US')} slots)`, measured: median(ms), unit: 'ms', note };
}

await program(() =>
  sizes.slice(1).flatMap((size) => [figureOf('the loss of a node', size, aLoss(size)), figureOf('the join of a node', size, aJoin(size))]),
);
