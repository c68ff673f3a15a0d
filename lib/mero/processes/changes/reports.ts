import type { Report } from '../../../../events/catalogue.ts';
import type { NodeUp } from '../../../../events/reported/node.ts';
import type { NodeTable, ProcessTable } from '../../../../events/reported/process.ts';
import type { Decision, Plan, PlannedChange, RowRef } from '../../../core/decision.ts';
import type { Fid } from '../../../core/fid.ts';
import type { NodeId } from '../../../core/ids.ts';
import type { StepBeside } from '../../../core/step.ts';
import type { EpochMs } from '../../../core/time.ts';
import { type Desired, desiredRef } from '../../../nodes/desired/desired.ts';
import { hostProcesses } from '../../../nodes/desired/reads.ts';
import { decideOrder } from '../../../nodes/desired/rows/order.ts';
import { isDriven, type Node, nodeRef } from '../../../nodes/node.ts';
import { isContradicted, onTable, type TableTaken } from '../../../nodes/rows/table.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import { read } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { applyServiceTable } from '../../../services/changes/reports.ts';
import { clusterRef } from '../../clusters/cluster.ts';
import { lookAtLevels } from '../../levels/changes.ts';
import { meroNodeRef } from '../../nodes/mero-node.ts';
import { type MeroProcess, processId, processRef } from '../process.ts';
import { resync, type TableOrigin } from '../resync.ts';
import { goalOf } from '../rows/goal.ts';
import { limitsOf } from '../rows/limits.ts';

/** Decides on one row with other rows that are only read. Returns the decision. */
export async function applyBeside(shell: Shell, input: { readonly id: string }, step: StepBeside): Promise<Decision<unknown>> {
  const plan = await applyPlan(shell, input, async (reading) => {
    const [row, ...beside] = await reading.rows([step.ref, ...step.beside]);
    const now = shell.now();
    const decision = step.decide(
      stateOf(row, now),
      beside.map((one) => stateOf(one, now)),
      now,
    );
    const changes = decision.does === 'nothing' ? [] : [{ ref: step.ref, readRev: row!.rev, decision }];
    return { changes, because: [decision.because], decision };
  });
  return plan.decision;
}

/** A report with the processes and services that run on a host, of a boot that its node has acknowledged. */
type WithTable = (NodeUp | NodeTable) & { readonly table: ProcessTable };

/** The report with its table, if it has one and Muster runs something on its node. */
export function withTable(report: Report, node: Node): WithTable | undefined {
  if (!isDriven(node)) return undefined;
  if (report.type === 'node.table') return { ...report, table: report.data };
  return report.type === 'node.up' && report.data.table ? { ...report, table: report.data.table } : undefined;
}

/**
 * Whether this table was taken in before, or a later one. A table that is delivered again knows nothing of later
 * orders, starts and ends. If it changed nothing, only the row of the node shows that it was there.
 */
export const isTakenIn = (report: WithTable, node: Node): boolean => (node.table?.taken ?? -1) >= saidBy(report, node).seq;

/**
 * How many processes one commit takes: with the desired state of their node and the rows that it checks, it has no more
 * than 100 rows.
 */
const atOnce = 60;

/**
 * Applies a table to each process and service of its host, some at a time, each step valid by itself: an interrupted
 * call begins anew, and finds those that are done as they are. The table is taken in once all are. Where a report since
 * contradicts it, nobody knows what runs, and the agent is asked again.
 */
export async function applyTable(shell: Shell, report: WithTable, node: Node): Promise<void> {
  const { incarnation, table, seq, back } = saidBy(report, node);
  const cluster = await read(shell, clusterRef(node.zone));
  const host = await hostProcesses(shell, node, cluster);
  const fids = host?.processes.map(({ fid }) => fid) ?? [];
  const origin: TableOrigin = { node: node.id, incarnation, seq, back };
  let [changed, contradicted] = [0, false];
  for (let from = 0; from < fids.length; from += atOnce) {
    const part = fids.slice(from, from + atOnce);
    const plan = await applyPlan(shell, { id: `${report.id}/${from}` }, (reading) =>
      planPart(shell, reading, { node, part, origin, table }),
    );
    changed += plan.changes.length;
    contradicted ||= plan.contradicted;
  }
  const load = cluster?.loaded?.load;
  const services = await applyServiceTable(shell, { id: report.id, node, table, origin: { ...origin, at: report.receivedAt } });
  const hash = contradicted || services.contradicted ? undefined : table.hash;
  const taken: TableTaken = { id: report.id, incarnation, seq, hash, load };
  await apply(shell, nodeRef(node.id), taken, onTable);
  if (changed > 0) await lookAtLevels(shell, node.zone);
  shell.log('info', 'table.applied', { id: report.id, row: `node ${node.id}`, processes: fids.length, rows: changed + services.changed });
}

/** The sender and number of a table, how it came, and the table itself. */
export function saidBy(
  report: WithTable,
  { incarnation, table: known }: Node,
): Omit<TableOrigin, 'node'> & { readonly table: ProcessTable } {
  const { table } = report;
  if (known?.anew) return { table, incarnation, seq: report.seq ?? 0, back: 'anew' };
  if (report.type === 'node.table') return { table, incarnation, seq: report.seq ?? 0, back: 'no' };
  return { table, incarnation, seq: 0, back: 'same kernel' };
}

/** A plan about some processes, and whether a report since contradicts the table about one of them. */
type PartPlan = Plan & { readonly contradicted: boolean };
type Part = { readonly node: Node; readonly part: readonly Fid[]; readonly origin: TableOrigin; readonly table: ProcessTable };

async function planPart(shell: Shell, reading: Reading, { node, part, origin, table }: Part): Promise<PartPlan> {
  const { zone, fqdn } = node;
  const refs = part.map((fid) => processRef(processId({ zone, fid })));
  const [clusterRow, meroRow, ...rows] = await reading.rows([clusterRef(zone), meroNodeRef(`${zone}/${fqdn}`), ...refs]);
  const now = shell.now();
  const cluster = stateOf(clusterRow, now);
  if (!cluster) return { changes: [], because: ['the cluster is gone'], contradicted: false };
  const entries = new Map(table.processes.map((entry) => [entry.process, entry]));
  const here = rows.flatMap((row) => stateOf(row, now) ?? []).filter(({ host }) => host === fqdn);
  const contradicted = here.some((process) => isContradicted(process, entries.get(process.fid), origin));
  const changes = rows.flatMap((row, i): PlannedChange[] => {
    const process = stateOf(row, now);
    if (process?.host !== fqdn) return [];
    const goal = goalOf(process, cluster, stateOf(meroRow, now));
    const decision = resync(process, entries.get(process.fid), origin, { goal, limits: limitsOf(cluster) }, now);
    return decision.does === 'nothing' ? [] : [{ ref: refs[i]!, readRev: row!.rev, decision }];
  });
  return { ...(await withOrders(reading, changes, node.id, now)), contradicted };
}

/** The same plan, with an order to the node's agent if a process must be started once more than before. */
export async function withOrders(reading: Reading, changes: readonly PlannedChange[], node: NodeId, now: EpochMs): Promise<Plan> {
  const because = changes.map(({ decision }) => decision.because);
  const rows = await reading.rows(changes.map(({ ref }) => ref));
  const isOrdered = changes.some(
    ({ decision }, i) => decision.does === 'write' && (decision.next as MeroProcess).start !== stateOf<MeroProcess>(rows[i], now)?.start,
  );
  if (!isOrdered) return { changes, because };
  const ref: RowRef = desiredRef(node);
  const row = await reading.row(ref);
  const decision = decideOrder(stateOf<Desired>(row, now), 'processes must be started again');
  return { changes: [...changes, { ref, readRev: row?.rev ?? 0, decision }], because };
}
