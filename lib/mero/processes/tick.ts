import { type Decision, nothing, type Plan, type PlannedChange, type RowRef, type Tick } from '../../core/decision.ts';
import type { NodeId } from '../../core/ids.ts';
import { hostProcesses } from '../../nodes/desired/reads.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { isAway } from '../../nodes/rows/away.ts';
import { fqdnRef } from '../../nodes/rows/name.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { read } from '../../runtime/read.ts';
import { restUntil } from '../../runtime/rest.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clusterRef } from '../clusters/cluster.ts';
import { meroNodeId, meroNodeRef } from '../nodes/mero-node.ts';
import { withOrders } from './changes/reports.ts';
import { decide, type ProcessInput } from './decide.ts';
import { type MeroProcess, processId, processRef } from './process.ts';
import { goalOf } from './rows/goal.ts';
import { limitsOf } from './rows/limits.ts';

/**
 * The outcome of a tick of a process: its plan, the revision of the row that it is based on, and when to look again if
 * nothing changes.
 */
type Ticked = Plan & { readonly decision: Decision<MeroProcess>; readonly rev: number };

/** Delivers a tick to one process. An attempt to start it again is in one commit with the order to its agent. */
export async function tickProcess(shell: Shell, ref: RowRef, tick: Tick): Promise<void> {
  const id = `tick-${shell.newId()}`;
  const { decision, rev } = await applyPlan(shell, { id }, (reading) => planTick(shell, reading, ref, tick));
  const { does, because } = decision;
  shell.log(does === 'nothing' ? 'debug' : 'info', 'tick.applied', { row: `${ref.noun} ${ref.id}`, does, because });
  if (decision.does === 'nothing') await restUntil(shell, ref, { ...decision, rev });
}

async function planTick(shell: Shell, reading: Reading, ref: RowRef, tick: Tick): Promise<Ticked> {
  const row = await reading.row(ref);
  const process = stateOf<MeroProcess>(row, shell.now());
  const rev = row?.rev ?? 0;
  const none = (because: string): Ticked => ({ changes: [], because: [because], decision: nothing(because), rev });
  if (!process) return none('there is no such process');
  const { zone, host } = process;
  const [clusterRow, meroRow, nameRow] = await reading.rows([
    clusterRef(zone),
    meroNodeRef(meroNodeId({ zone, fqdn: host })),
    fqdnRef(host),
  ]);
  const now = shell.now();
  const cluster = stateOf(clusterRow, now);
  if (!cluster) return none('its cluster is gone');
  const holder = stateOf<{ node: NodeId }>(nameRow, now)?.node;
  const node = holder === undefined ? undefined : stateOf<Node>(await reading.row(nodeRef(holder)), now);
  const surroundings = { goal: goalOf(process, cluster, stateOf(meroRow, now)), limits: limitsOf(cluster) };
  const decision = decide(process, { ...tick, isAway: isAway(node) }, surroundings, now);
  const changes: PlannedChange[] = decision.does === 'nothing' ? [] : [{ ref, readRev: rev, decision }];
  return {
    ...(holder === undefined ? { changes, because: [decision.because] } : await withOrders(reading, changes, holder, now)),
    decision,
    rev,
  };
}

/** How many processes fail in one commit. */
const atOnce = 90;

/**
 * Fails the processes of a storage node that was given up: their state is unknown, and no report about it will come.
 */
export async function loseProcesses(shell: Shell, node: Node): Promise<void> {
  const { zone } = node;
  const cluster = await read(shell, clusterRef(zone));
  const host = await hostProcesses(shell, node, cluster);
  const refs = host?.processes.map(({ fid }) => processRef(processId({ zone, fid }))) ?? [];
  const input: ProcessInput = { type: 'node-lost', node: node.id };
  for (let from = 0; from < refs.length; from += atOnce) {
    const part = refs.slice(from, from + atOnce);
    await applyPlan(shell, { id: `lost-${shell.newId()}` }, async (reading) => {
      const now = shell.now();
      const rows = await reading.rows(part);
      const changes = rows.flatMap((row, i): PlannedChange[] => {
        const process = stateOf(row, now);
        const decision = decide(process, input, { goal: undefined, limits: limitsOf(cluster!) }, now);
        return decision.does === 'nothing' ? [] : [{ ref: part[i]!, readRev: row!.rev, decision }];
      });
      return { changes, because: changes.map(({ decision }) => decision.because) };
    });
  }
}
