import { nothing, type RowRef, type Tick } from '../core/decision.ts';
import type { Ref } from '../core/ref.ts';
import type { EpochMs } from '../core/time.ts';
import { admittedNodes } from '../deployment/deployment.ts';
import { deploymentOf, intervalNow } from '../deployment/reads.ts';
import { decideSweep, isManyAtOnce, sweepRef, tickUnder } from '../deployment/rows/sweep.ts';
import { decide as decideNode } from '../nodes/decide.ts';
import { type Node, nodeRef } from '../nodes/node.ts';
import type { Row } from '../ports/table/table.ts';
import { apply } from '../runtime/apply.ts';
import { stateOf } from '../runtime/content.ts';
import { readRows } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { nodesPerPlanMax } from '../zones/placing/cut.ts';
import { planZoneNow } from '../zones/tick/plan-zone.ts';
import { type Urgency, urgencyOf } from '../zones/urgency.ts';
import { isLost, loseWhatRan } from './lost.ts';

/** The due nodes of a zone, with how urgent each is. */
export type DueNodes = Map<string, Urgency>;

/** The rows of due nodes, by id. */
export type DueRows = ReadonlyMap<string, Row<Node>>;

/** The nodes among due rows. */
export const nodesOf = (refs: readonly RowRef[]): Ref<Node>[] =>
  refs.flatMap(({ noun, id }) => (noun === nodeRef.noun ? [nodeRef(id)] : []));

/**
 * Records that the sweep runs. The tick carries a grace when the sweep had slept, or when so many leases ran out at
 * once that the fault may be ours.
 */
export async function begin(shell: Shell, refs: readonly RowRef[], dueRows: DueRows | undefined): Promise<Tick> {
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

/**
 * Decides on a due node, `row` if it was just read. Gives the node if the plan of its zone must process it now;
 * undefined otherwise.
 */
export async function tickNode(shell: Shell, ref: Ref<Node>, tick: Tick, row?: Row<Node>): Promise<Node | undefined> {
  const input = { ...tick, id: `tick-${shell.newId()}` };
  const decide = (node: Node | undefined, _input: typeof input, now: EpochMs) =>
    node ? decideNode(node, tick, now) : nothing('there is no such node');
  const { decision, state } = await apply(shell, ref, input, decide, row);
  shell.log('debug', 'tick.applied', { row: `${ref.noun} ${ref.id}`, does: decision.does, because: decision.because });
  if (state && isLost(state)) {
    await loseWhatRan(shell, state);
    return;
  }
  const wakeAt = decision.does === 'remove' ? undefined : decision.wakeAt;
  if (!state || wakeAt === undefined || wakeAt > shell.now()) return;
  return state;
}

/** A node among the due ones of its zone. */
export const withDue = (nodes: DueNodes | undefined, node: Node): DueNodes => (nodes ?? new Map()).set(node.id, urgencyOf(node));

/**
 * Plans a zone, the most urgent nodes first. Nodes for which a commit had no room are planned at once, as long as each
 * plan handles some of them.
 */
export async function planAll(shell: Shell, zone: string, nodes: DueNodes = new Map(), tick: Tick): Promise<void> {
  const sorted = [...nodes].sort(([a, first], [b, second]) => first - second || (a < b ? -1 : 1)).map(([id]) => id);
  for (const part of partsOf(sorted, nodesPerPlanMax))
    for (let due: readonly string[] | undefined = part; due; ) {
      const left = await planZoneNow(shell, zone, due, tick);
      due = left.length > 0 && left.length < due.length ? left : undefined;
    }
}

/** A list cut into parts of `size`; one empty part for an empty list, because a head may be due alone. */
const partsOf = <T>(items: readonly T[], size: number): T[][] =>
  items.length === 0 ? [[]] : Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
