import type { Plan } from '../../../lib/core/decision.ts';
import { dayMs, type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { Node, NodeStatus } from '../../../lib/nodes/node.ts';
import type { SlotMap } from '../../../lib/zones/map/rows/slots.ts';
import { splitMap } from '../../../lib/zones/map/split.ts';
import { slotsOwned } from '../../../lib/zones/rows/loaded.ts';
import { aNode, at, aZone, nodeFqdn, nodeId } from '../../../tools/support/builders.ts';
import { Ledger } from './ledger.ts';

/** The n-th node as decide leaves it, for the plan to follow; it keeps the index it was given. */
function due(
  ledger: Ledger,
  n: number,
  now: EpochMs,
  given: { status: NodeStatus; weight?: number } & Readonly<Record<string, unknown>>,
): void {
  const known = ledger.read<Node>('node', nodeId(n));
  const { index: _none, ...fresh } = aNode({
    id: nodeId(n),
    fqdn: nodeFqdn(n),
    watch: `${nodeFqdn(n)}:4505`,
    heardAt: now,
    ...(given.status !== 'down' && { leaseUntil: plusMs(now, 38_000) }),
    ...given,
  } as Parameters<typeof aNode>[0]);
  const kept = {
    generation: known?.generation ?? 1,
    weight: known?.weight ?? 1,
    ...(known?.index !== undefined && { index: known.index }),
  };
  ledger.put({ ...fresh, ...kept, ...given, awaitsPlan: true } as Node);
}

/** Nodes join and are up, one plan each step; their weight is 1 unless told. */
export function bringUp(ledger: Ledger, ns: readonly number[], { weight = 1, now = at(0) } = {}): Plan {
  for (const n of ns) due(ledger, n, now, { status: 'joining', weight });
  ledger.plan(now);
  for (const n of ns) due(ledger, n, now, { status: 'up' });
  return ledger.plan(now);
}

/** Nodes fall silent and are given up as lost in one plan. */
export function lose(ledger: Ledger, ns: readonly number[], now = at(60)): Plan {
  for (const n of ns) due(ledger, n, now, { status: 'suspect', was: 'up', heardAt: plusMs(now, -40_000), leaseUntil: plusMs(now, -2_000) });
  return ledger.plan(now);
}

/** An operator gives nodes up that are down already, or up. */
export function drop(ledger: Ledger, ns: readonly number[], now: EpochMs): Plan {
  for (const n of ns) {
    const isDown = ledger.read<Node>('node', nodeId(n))?.status === 'down';
    due(ledger, n, now, { ...(isDown ? { status: 'down', downAt: at(60) } : { status: 'up' }), ordered: 'drop' });
  }
  return ledger.plan(now);
}

/** An operator says of whoever is silent until then that it is lost. */
export function calm(ledger: Ledger, until: EpochMs): void {
  ledger.setHead({ brakes: { calmedAt: until } });
}

/** Nodes that were down are heard again. */
export function hear(ledger: Ledger, ns: readonly number[], now = at(120)): Plan {
  for (const n of ns) due(ledger, n, now, { status: 'down', downAt: at(60), returning: { leaseUntil: plusMs(now, 38_000) } });
  return ledger.plan(now);
}

/** Nodes leave on purpose. */
export function leave(ledger: Ledger, ns: readonly number[], mode: 'drain' | 'hold' = 'drain', now = at(60)): Plan {
  for (const n of ns)
    due(ledger, n, now, { status: 'leaving', leaving: { mode, since: now, ...(mode === 'hold' && { until: plusMs(now, 600_000) }) } });
  return ledger.plan(now);
}

/** Nodes are up again, whatever they were. */
export function stayUp(ledger: Ledger, ns: readonly number[], now = at(120)): Plan {
  for (const n of ns) due(ledger, n, now, { status: 'up' });
  return ledger.plan(now);
}

/** A zone with so many nodes up, numbered from 1. */
export function aZoneOf(nodes: number, { slots = 1_024, counts }: { slots?: number; counts?: ArrayLike<number> } = {}): Ledger {
  const ledger = new Ledger(aZone({ nodes: [], slots }), counts);
  for (let n = 1; n <= nodes; n += 30)
    bringUp(
      ledger,
      Array.from({ length: Math.min(30, nodes - n + 1) }, (_, i) => n + i),
    );
  return ledger;
}

/**
 * Plans on until nothing waits any more, in steps of half a minute in which every agent does as ordered, so that
 * budgets fill; when that was. Throws after a day.
 */
export function rest(ledger: Ledger, from: EpochMs): EpochMs {
  for (let now = from; now < plusMs(from, dayMs); now = plusMs(now, 30_000)) {
    const { settling, budgets } = ledger.zone.head;
    if (settling.length === 0 && !budgets.holds) return now;
    for (const { id } of ledger.nodes()) ledger.release(id);
    ledger.plan(now);
  }
  throw new Error('it never rests');
}

/** How many slots each index owns. */
export const owned = (ledger: Ledger): number[] => [...slotsOwned(ledger.zone)];

/** Every slot whose owner differs, with who had it and who has it; of slots that were split in between, every part. */
export const moved = (before: SlotMap, after: SlotMap): { slot: number; from: number; to: number }[] =>
  Array.from(splitMap(before, after.owner.length).owner).flatMap((from, slot) =>
    after.owner[slot] === from ? [] : [{ slot, from, to: after.owner[slot]! }],
  );
