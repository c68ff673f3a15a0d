import { nothing, type RowRef, type Tick } from '../core/decision.ts';
import type { Ref } from '../core/ref.ts';
import { type EpochMs, plusMs } from '../core/time.ts';
import { mendAdmitted } from '../deployment/changes.ts';
import { admittedNodes } from '../deployment/deployment.ts';
import { deploymentOf, intervalNow } from '../deployment/reads.ts';
import { decideSweep, isManyAtOnce, sweepRef, tickUnder } from '../deployment/rows/sweep.ts';
import { planLevelsNow } from '../mero/levels/tick.ts';
import { removeSoon } from '../mero/processes/changes/removals.ts';
import { tickProcess } from '../mero/processes/tick.ts';
import { decide as decideNode } from '../nodes/decide.ts';
import { type Node, nodeRef } from '../nodes/node.ts';
import { dueShards, tickingRef } from '../ports/table/keys.ts';
import { dueLimitMax, type Key, type Row } from '../ports/table/table.ts';
import { apply } from '../runtime/apply.ts';
import { stateOf } from '../runtime/content.ts';
import { inParts } from '../runtime/in-parts.ts';
import { readRows } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { tickService } from '../services/tick/services.ts';
import { planSupervisionNow } from '../services/tick/supervision.ts';
import { tickSiteOrders } from '../stations/site-orders/tick.ts';
import { tickStations } from '../stations/tick/stations.ts';
import { nodesPerPlanMax } from '../zones/placing/cut.ts';
import { ensureDefaultZone } from '../zones/reads/zones.ts';
import { countZone } from '../zones/tick/count.ts';
import { planZoneNow } from '../zones/tick/plan-zone.ts';
import { type Urgency, urgencyOf } from '../zones/urgency.ts';
import { collectGarbage } from './garbage.ts';
import { isLost, loseWhatRan } from './lost.ts';

/** The due nodes of a zone, with how urgent each is. */
type DueNodes = Map<string, Urgency>;

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
 * Plans a zone, the most urgent nodes first. Nodes for which a commit had no room are planned at once, as long as each
 * plan handles some of them.
 */
async function planAll(shell: Shell, zone: string, nodes: DueNodes = new Map(), tick: Tick): Promise<void> {
  const sorted = [...nodes].sort(([a, first], [b, second]) => first - second || (a < b ? -1 : 1)).map(([id]) => id);
  for (const part of partsOf(sorted, nodesPerPlanMax))
    for (let due: readonly string[] | undefined = part; due; ) {
      const left = await planZoneNow(shell, zone, due, tick);
      due = left.length > 0 && left.length < due.length ? left : undefined;
    }
}

const nodesOf = (refs: readonly RowRef[]): Ref<Node>[] => refs.flatMap(({ noun, id }) => (noun === nodeRef.noun ? [nodeRef(id)] : []));

/** The rows of due nodes, by id. */
type DueRows = ReadonlyMap<string, Row<Node>>;

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

/**
 * Records that the sweep runs. The tick carries a grace when the sweep had slept, or when so many leases ran out at
 * once that the fault may be ours.
 */
async function begin(shell: Shell, refs: readonly RowRef[], dueRows: DueRows | undefined): Promise<Tick> {
  const admitted = admittedNodes(await deploymentOf(shell));
  const begins = {
    id: shell.newId(),
    periodMs: shell.settings.sweepPeriodMs,
    intervalMs: await intervalNow(shell),
    admitted,
    ranOutAt: await ranOutAt(shell, refs, { admitted, dueRows }),
  };
  const { decision, before, state } = await apply(shell, sweepRef(), begins, decideSweep);
  if (state?.graceUntil !== undefined && state.graceUntil !== before?.graceUntil)
    shell.log('warn', 'sweep.late', { because: decision.because });
  return tickUnder(state, shell.now());
}

/**
 * When the leases of the due nodes ran out. They are read only when there are enough of them to matter; most sweeps
 * have few.
 */
async function ranOutAt(
  shell: Shell,
  refs: readonly RowRef[],
  { admitted, dueRows }: { readonly admitted: number; readonly dueRows: DueRows | undefined },
): Promise<EpochMs[]> {
  const nodes = nodesOf(refs);
  if (!isManyAtOnce(nodes.length, admitted)) return [];
  const rows = dueRows ? [...dueRows.values()] : await readRows(shell, nodes);
  return rows.flatMap((row) => {
    const node = stateOf(row, shell.now());
    return node && 'leaseUntil' in node && node.status !== 'suspect' && node.leaseUntil <= shell.now() ? [node.leaseUntil] : [];
  });
}

type Ticks = Readonly<Record<string, (shell: Shell, ref: RowRef, tick: Tick) => Promise<void>>>;

/** Rows that change by themselves with time, each on its own. */
const alone: Ticks = {
  stations: (shell, { id }, tick) => tickStations(shell, id, tick),
  'site-orders': (shell, { id }, tick) => tickSiteOrders(shell, id, tick),
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
    else await apart(tickNode(shell, nodeRef(ref.id), tick, { due, row: dueRows?.get(ref.id) }));
  });
  return due;
}

async function tickNode(
  shell: Shell,
  ref: Ref<Node>,
  tick: Tick,
  { due, row }: { readonly due: Due; readonly row: Row<Node> | undefined },
): Promise<void> {
  const input = { ...tick, id: `tick-${shell.newId()}` };
  const decide = (node: Node | undefined, _input: typeof input, now: EpochMs) =>
    node ? decideNode(node, tick, now) : nothing('there is no such node');
  const { decision, state } = await apply(shell, ref, input, decide, row);
  shell.log('debug', 'tick.applied', { row: `${ref.noun} ${ref.id}`, does: decision.does, because: decision.because });
  if (state && isLost(state)) return loseWhatRan(shell, state);
  const wakeAt = decision.does === 'remove' ? undefined : decision.wakeAt;
  if (!state || wakeAt === undefined || wakeAt > shell.now()) return;
  due.nodes.set(state.zone, (due.nodes.get(state.zone) ?? new Map()).set(ref.id, urgencyOf(state)));
}

/** A list cut into parts of `size`; one empty part for an empty list, because a head may be due alone. */
const partsOf = <T>(items: readonly T[], size: number): T[][] =>
  items.length === 0 ? [[]] : Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
