import { tickContent } from '../content/revisions/tick/revisions.ts';
import { tickSeat } from '../content/seat/tick.ts';
import type { RowRef, Tick } from '../core/decision.ts';
import { plusMs } from '../core/time.ts';
import { mendAdmitted } from '../deployment/changes.ts';
import { planLevelsNow } from '../mero/levels/tick.ts';
import { removeSoon } from '../mero/processes/changes/removals.ts';
import { tickProcess } from '../mero/processes/tick.ts';
import { type Node, nodeRef } from '../nodes/node.ts';
import { dueShards, tickingRef } from '../ports/table/keys.ts';
import { dueLimitMax, type Key, type Row } from '../ports/table/table.ts';
import { inParts } from '../runtime/in-parts.ts';
import { readRows } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { tickService } from '../services/tick/services.ts';
import { planSupervisionNow } from '../services/tick/supervision.ts';
import { tickSiteOrders } from '../stations/site-orders/tick.ts';
import { tickStations } from '../stations/tick/stations.ts';
import { ensureDefaultZone } from '../zones/reads/zones.ts';
import { countZone } from '../zones/tick/count.ts';
import { collectGarbage } from './garbage.ts';
import { begin, type DueNodes, type DueRows, nodesOf, planAll, tickNode, withDue } from './sweep-nodes.ts';

/**
 * The things that a sweep found due: the nodes by zone, the zones whose head or counts are due, the storage clusters
 * whose levels are due or in which there may be garbage, and the zones whose supervision must be planned.
 */
type Due = {
  readonly nodes: Map<string, DueNodes>;
  readonly heads: Set<string>;
  readonly counts: Set<string>;
  readonly clusters: Set<string>;
  readonly garbage: Set<string>;
  readonly supervision: Set<string>;
};

/**
 * Delivers time to everything that waits for it. It decides on each due node, then plans each zone that has such nodes
 * or whose head is due, in the same invocation. Then come the things on which no placement rests. A late sweep is only
 * late; repeats are harmless. A row or zone that fails does not stop the others; the first error is thrown in the end.
 */
export async function sweep(shell: Shell): Promise<void> {
  await ensureDefaultZone(shell);
  const { refs, later } = inOrder(
    await Promise.all(Array.from({ length: dueShards }, (_, shard) => shell.table.due(shard, shell.now(), dueLimitMax))),
  );
  const dueRows = await readDue(shell, refs);
  const tick = await begin(shell, refs, dueRows);
  const failures: unknown[] = [];
  const apart: Apart = (work) => work.catch((error: unknown) => void failures.push(error));
  await apart(mendAdmitted(shell));
  const due = await tickAll(shell, refs, tick, { apart, dueRows });
  for (const zone of new Set([...due.nodes.keys(), ...due.heads])) await apart(planAll(shell, zone, due.nodes.get(zone), tick));
  await inParts(later, 20, (ref) => apart(tickLater[ref.noun]!(shell, ref, tick)));
  for (const zone of due.clusters) await apart(planLevelsNow(shell, zone));
  for (const zone of due.supervision) await apart(planSupervisionNow(shell, zone));
  for (const zone of due.garbage) await apart(collectGarbage(shell, zone));
  // Counting continues in the next sweep once it has taken a period, so that silent nodes do not wait for it.
  const countsUntil = plusMs(shell.now(), shell.settings.sweepPeriodMs);
  for (const zone of due.counts) {
    if (shell.now() > countsUntil) break;
    // A zone that is counted anew may be uneven.
    await apart(countZone(shell, zone).then(async (isWhole) => (isWhole ? planAll(shell, zone, undefined, tick) : undefined)));
  }
  if (failures.length > 0) throw failures[0];
}

/** How many rows of a shard, and how many of those that come later, one sweep handles, the longest waiting first. */
const ofShardMax = 400;

/**
 * The due rows, shard by shard. A storage cluster has all of its rows in one shard, and thousands of its processes may
 * be due at once. Those come later and are counted separately, so that a silent node never waits for them.
 */
function inOrder(shards: readonly (readonly Key[])[]): { readonly refs: readonly RowRef[]; readonly later: readonly RowRef[] } {
  const known = shards.map((keys) => keys.flatMap((key) => tickingRef(key) ?? []));
  const some = (isLater: boolean): RowRef[] =>
    known.flatMap((refs) => refs.filter(({ noun }) => noun in tickLater === isLater).slice(0, ofShardMax));
  return { refs: some(false), later: some(true) };
}

/** Runs work to its end, and collects the error that it threw. */
type Apart = (work: Promise<void>) => Promise<void>;

/**
 * Where nodes stay due (lib/runtime/shell.ts), reads all of them at once, as they were a moment ago. If a decision
 * writes, its commit corrects an outdated row; if not, the next sweep does. Elsewhere few nodes are due, and each is
 * read when it is decided on.
 */
async function readDue(shell: Shell, refs: readonly RowRef[]): Promise<DueRows | undefined> {
  if (!shell.settings.staysDueMs) return undefined;
  const nodes = nodesOf(refs);
  const rows = await readRows(shell, nodes, 'lately');
  return new Map(nodes.flatMap(({ id }, n): [string, Row<Node>][] => (rows[n] ? [[id, rows[n]]] : [])));
}

type Ticks = Readonly<Record<string, (shell: Shell, ref: RowRef, tick: Tick) => Promise<void>>>;

/** Rows that change by themselves with time, each on its own. */
const alone: Ticks = {
  stations: (shell, { id }, tick) => tickStations(shell, id, tick),
  'site-orders': (shell, { id }, tick) => tickSiteOrders(shell, id, tick),
  seat: (shell, { id }, tick) => tickSeat(shell, id, tick),
  content: (shell, { id }) => tickContent(shell, id),
};

/** The same for rows of which there may be thousands, and on which no node's standing rests. */
const tickLater: Ticks = {
  process: tickProcess,
  service: tickService,
  'mero-node': (shell, { id }) => removeSoon(shell, id),
};

async function tickAll(
  shell: Shell,
  refs: readonly RowRef[],
  tick: Tick,
  { apart, dueRows }: { readonly apart: Apart; readonly dueRows: DueRows | undefined },
): Promise<Due> {
  const named = { heads: new Set<string>(), counts: new Set<string>(), clusters: new Set<string>(), garbage: new Set<string>() };
  const due: Due = { nodes: new Map(), ...named, supervision: new Set() };
  await inParts(refs, 20, async (ref) => {
    if (ref.noun === 'zone') due.heads.add(ref.id);
    else if (ref.noun === 'counts') due.counts.add(ref.id);
    else if (ref.noun === 'garbage') due.garbage.add(ref.id);
    else if (ref.noun === 'supervision') due.supervision.add(ref.id);
    else if (ref.noun === 'cluster') due.clusters.add(ref.id);
    else if (alone[ref.noun]) await apart(alone[ref.noun]!(shell, ref, tick));
    else await apart(noteDue(due, tickNode(shell, nodeRef(ref.id), tick, dueRows?.get(ref.id))));
  });
  return due;
}

/** Enters a node among the due ones of its zone once it is decided that the zone's plan must process it. */
async function noteDue(due: Due, ticked: Promise<Node | undefined>): Promise<void> {
  const node = await ticked;
  if (node) due.nodes.set(node.zone, withDue(due.nodes.get(node.zone), node));
}
