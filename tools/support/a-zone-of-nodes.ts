import { applyReport } from '../../lib/assembly/reports.ts';
import type { RowRef } from '../../lib/core/decision.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { desiredRef } from '../../lib/nodes/desired/desired.ts';
import { type Node, type NodeIn, nodeRef } from '../../lib/nodes/node.ts';
import { fqdnRef } from '../../lib/nodes/rows/name.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { read } from '../../lib/runtime/read.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type PinnedNode, pinsRef } from '../../lib/zones/pins/pins.ts';
import { planZoneNow } from '../../lib/zones/tick/plan-zone.ts';
import { countsRef, defaultZone, type ZoneHead, zoneRef } from '../../lib/zones/zone.ts';
import { aNode, nodeFqdn, nodeId } from './builders.ts';
import { keyPairOf } from './signing.ts';
import type { World } from './stepped.ts';

/** What matters of a node of a zone; the n-th is called so, counted from 1. */
export type SomeNode = Partial<Pick<NodeIn<'up'>, 'weight' | 'capacity' | 'labels' | 'admitEveryMs' | 'kind'>>;
type Stored = Pick<Shell, 'table' | 'now'>;

/** Stores the state of a row, as a decision would have, due at `wakeAt`. */
export async function store({ table, now }: Stored, ref: RowRef, next: unknown, wakeAt?: EpochMs): Promise<void> {
  const row = await table.read(keyOf(ref));
  const decision = { does: 'write', next, events: [], because: 'a test says so', ...(wakeAt !== undefined && { wakeAt }) } as const;
  const put = contentOf(ref, row, decision, { by: 'test', at: now(), exact: true })!;
  await table.commit([{ put, readRev: row?.rev ?? 0 }]);
}

/** How long the nodes are taken as heard: longer than any test lasts, because nobody sends heartbeats. */
const heardForMs = 40 * 86_400_000;

/** Nodes are up in the zone `default`, and own its slots as the planner placed them. */
export async function zoneOfNodes(shell: Shell, nodes: readonly SomeNode[]): Promise<void> {
  const now = shell.now();
  for (const [i, given] of nodes.entries()) {
    const n = i + 1;
    const named = { id: nodeId(n), fqdn: nodeFqdn(n), watch: `${nodeFqdn(n)}:4505`, publicKey: keyPairOf(`node${n}`).publicKey };
    const { index: _none, ...node } = aNode({ ...named, ...given, heardAt: now, leaseUntil: plusMs(now, heardForMs) });
    await store(shell, nodeRef(node.id), { ...node, awaitsPlan: true } as Node, now);
    await store(shell, fqdnRef(node.fqdn), { node: node.id });
  }
  const ids = nodes.map((_, i) => nodeId(i + 1));
  for (let from = 0; from < ids.length; from += 30) await planZoneNow(shell, defaultZone, ids.slice(from, from + 30), { type: 'tick' });
}

/** A count of the client systems of each slot, which no later count replaces. */
export async function counted(shell: Stored, clients: ArrayLike<number>): Promise<void> {
  const perSlot = new Uint8Array(clients.length * 2);
  const view = new DataView(perSlot.buffer);
  for (let slot = 0; slot < clients.length; slot++) view.setUint16(slot * 2, clients[slot]!);
  await store(shell, countsRef(defaultZone), { at: shell.now(), perSlot });
}

/** Client systems are pinned to nodes: the row of pins says how many. */
export async function pinned(shell: Stored, nodes: readonly PinnedNode[]): Promise<void> {
  await store(shell, pinsRef(defaultZone), { version: 1, nodes: [...nodes] });
  const head = (await shell.table.read(keyOf(zoneRef(defaultZone))))!;
  await store(shell, zoneRef(defaultZone), { ...(head.body as ZoneHead), pinned: true }, head.wakeAt);
}

/**
 * Every agent of the first `count` nodes that is ordered to release slots confirms that, at the second look at its
 * orders: they are looked at between two sweeps.
 */
export function obedient(world: World, count: number): () => void {
  const seen = new Set<string>();
  return world.every(5_000, async () => {
    const shell = world.environment('reports');
    for (let n = 1; n <= count; n++) {
      const [node, desired] = [await read(shell, nodeRef(nodeId(n))), await read(shell, desiredRef(nodeId(n)))];
      const last = desired?.release.at(-1);
      if (!last || !node) continue;
      if (!seen.has(node.id)) {
        seen.add(node.id);
        continue;
      }
      seen.delete(node.id);
      const stamps = { id: shell.newId(), node: node.id, incarnation: node.incarnation, receivedAt: shell.now(), intervalMs: 10_000 };
      await applyReport({ type: 'node.released', version: 1, ...stamps, data: { mapVersion: last.mapVersion } }, shell);
    }
  });
}

/** The n-th node sends no heartbeat from now on: its last one has just renewed its lease of 38 s. */
export async function fallSilent(world: World, n: number): Promise<void> {
  const node = await read(world, nodeRef(nodeId(n)));
  const leaseUntil = plusMs(world.now(), 38_000);
  await store(world, nodeRef(nodeId(n)), { ...node, heardAt: world.now(), leaseUntil }, leaseUntil);
}
