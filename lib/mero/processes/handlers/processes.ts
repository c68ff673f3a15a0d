import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { type Decision, type Plan, type PlannedChange, write } from '../../../core/decision.ts';
import type { Fid } from '../../../core/fid.ts';
import { plusMs } from '../../../core/time.ts';
import type { Node } from '../../../nodes/node.ts';
import type { Row } from '../../../ports/table/table.ts';
import { applyPlan, Reading } from '../../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import type { StorageCluster } from '../../clusters/cluster.ts';
import { lossWithout } from '../../clusters/reads/liveness.ts';
import { clusterOf } from '../../clusters/reads/of-caller.ts';
import { lookAtLevels } from '../../levels/changes.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from '../../nodes/mero-node.ts';
import { type Held, meroProcess, nodeOfHost, orderTo, processesOfNode } from '../../nodes/reads.ts';
import { removeWhatIsDue } from '../changes/removals.ts';
import { hasEnded, orderRemove, orderStart, orderStop, type Refused } from '../orders.ts';
import { type MeroProcess, processId, processRef } from '../process.ts';
import { limitsOf } from '../rows/limits.ts';
import { meroProcessView, processConfiguration } from '../view.ts';

/** A process with all inputs of an order about it. */
type Found = {
  readonly cluster: StorageCluster;
  readonly process: MeroProcess;
  readonly row: Row;
  readonly mero: { readonly state: MeroNode; readonly row: Row };
  readonly node: Held<Node>;
};

async function found(shell: Shell, reading: Reading, cluster: StorageCluster, fid: Fid): Promise<Found> {
  const { process, row } = await meroProcess(shell, reading, cluster, fid);
  const { zone, host } = process;
  const meroRow = await reading.row(meroNodeRef(meroNodeId({ zone, fqdn: host })));
  const state = stateOf(meroRow, shell.now());
  if (!state) throw new Error(`process ${fid} of zone ${zone} is on ${host}, which has no Mero node`);
  return { cluster, process, row, mero: { state, row: meroRow! }, node: await nodeOfHost(shell, reading, { zone, host }) };
}

/** A process and its state. */
export async function getMeroProcess({ params, caller }: AdminCall<'getMeroProcess'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const { process, mero, node } = await found(shell, new Reading(shell), cluster, params.fid);
  return { status: 200, body: meroProcessView(process, { node: node.state, cluster, meroNode: mero.state }) };
}

/** The configuration that a process needs to run. */
export async function getMeroConfiguration({ params, caller }: AdminCall<'getMeroConfiguration'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const reading = new Reading(shell);
  const { process, mero } = await found(shell, reading, cluster, params.fid);
  return { status: 200, body: processConfiguration(process, await processesOfNode(shell, reading, cluster, mero.state), cluster.profile) };
}

type Order = { readonly shell: Shell; readonly id: string; readonly cluster: StorageCluster; readonly fid: Fid };
type Ordered = Plan & { readonly outcome: Decision<MeroProcess> | { readonly does: 'now' }; readonly found: Found };

/**
 * Carries out an operator's order: the row of the process changes, and its agent is notified, in one commit; then the
 * levels are checked.
 */
async function ordered(
  { shell, id, cluster, fid }: Order,
  decide: (found: Found) => Decision<MeroProcess> | Refused | { readonly does: 'now' },
): Promise<Ordered> {
  const plan = await applyPlan(shell, { id }, async (reading): Promise<Ordered> => {
    const about = await found(shell, reading, cluster, fid);
    const outcome = decide(about);
    if (outcome.does === 'refuse') throw new Refusal('refused', outcome.because);
    if (outcome.does !== 'write') return { changes: [], because: ['because' in outcome ? outcome.because : ''], outcome, found: about };
    const ref = processRef(processId(about.process));
    const notified = await orderTo(reading, about.node, { because: outcome.because, now: shell.now() });
    const watched = outcome.next.removing && !about.process.removing ? [dueNow(about, outcome.because, shell)] : [];
    return { changes: [changeOfRow(ref, about.row, outcome), ...watched, ...notified], because: [outcome.because], outcome, found: about };
  });
  if (plan.changes.length > 0) await lookAtLevels(shell, cluster.zone);
  return plan;
}

/**
 * The Mero node of a process that is being removed is due until the process is gone: the sweep completes the removal.
 */
function dueNow({ mero }: Found, because: string, shell: Shell): PlannedChange {
  const ref = meroNodeRef(meroNodeId(mero.state));
  return { ref, readRev: mero.row.rev, decision: write<MeroNode, never>(mero.state, because, { wakeAt: shell.now() }) };
}

const answered = ({ outcome, because }: Ordered): Answer => ({
  status: 202,
  body: { done: outcome.does === 'write', because: because[0]! },
});

/** Starts a process. */
export async function startMeroProcess({ params, request, caller }: AdminCall<'startMeroProcess'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const order = { shell, id: request.id, cluster, fid: params.fid };
  return answered(
    await ordered(order, ({ process, mero, node }) => orderStart(process, { cluster, meroNode: mero.state, node: serves(node.state) })),
  );
}

/** The node, unless it was removed: then it hosts nothing. */
const serves = (node: Node | undefined): Node | undefined => (node?.removedAt === undefined ? node : undefined);

/** Stops a process. The losses of the cluster are computed once: they are a warning to the caller, and not a fence. */
export async function stopMeroProcess({ params, body, request, caller }: AdminCall<'stopMeroProcess'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const lost = body.force ? undefined : await lossWithout(shell, params.zone, [params.fid]);
  const order = { shell, id: request.id, cluster, fid: params.fid };
  return answered(await ordered(order, ({ process, mero }) => orderStop(process, { meroNode: mero.state }, lost)));
}

/** Removes a process: at once if it has ended, else when it has stopped. A dry run returns which, and does nothing. */
export async function removeMeroProcess({ params, body, request, caller }: AdminCall<'removeMeroProcess'>, shell: Shell): Promise<Answer> {
  const { zone, fid } = params;
  const { cluster } = await clusterOf(shell, zone, caller);
  const lost = body.force ? undefined : await lossWithout(shell, zone, [fid]);
  const by = plusMs(shell.now(), limitsOf(cluster).stopMs);
  if (body.dryRun) {
    const about = await found(shell, new Reading(shell), cluster, fid);
    const outcome = orderRemove(about.process, by, lost);
    if (outcome.does === 'refuse') throw new Refusal('refused', outcome.because);
    const isNow = hasEnded(about.process);
    return removal(false, isNow ? `${fid} would be removed` : `${fid} would be stopped, then removed`, {
      gone: isNow ? [fid] : [],
      stopping: isNow ? [] : [fid],
    });
  }
  const plan = await ordered({ shell, id: request.id, cluster, fid }, ({ process }) => orderRemove(process, by, lost));
  const { outcome, found: about } = plan;
  if (outcome.does !== 'now') return removal(outcome.does === 'write', plan.because[0]!, { gone: [], stopping: [fid] });
  const removed = await removeWhatIsDue(shell, { zone, fqdn: about.process.host, also: [fid] }, `${request.id}-remove`);
  const isGone = removed.gone.includes(fid);
  return removal(
    isGone,
    isGone ? `${fid} removed` : `${fid} runs again: it is not removed`,
    { gone: removed.gone, stopping: [] },
    removed.nodeGone,
  );
}

const removal = (
  done: boolean,
  because: string,
  { gone, stopping }: { gone: readonly Fid[]; stopping: readonly Fid[] },
  nodeGone = false,
): Answer => ({
  status: 202,
  body: { done, because, gone, stopping, nodeGone },
});
