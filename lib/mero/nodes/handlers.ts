import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { refuseAwaited } from '../../clients/reads/pinned-to.ts';
import type { Decision, Plan } from '../../core/decision.ts';
import type { Fid } from '../../core/fid.ts';
import { plusMs } from '../../core/time.ts';
import { removalOfNode } from '../../nodes/changes/removal.ts';
import { applyPlan, Reading } from '../../runtime/apply-plan.ts';
import { changeOfRow } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { StorageCluster } from '../clusters/cluster.ts';
import { lossWithout } from '../clusters/reads/liveness.ts';
import { clusterOf } from '../clusters/reads/of-caller.ts';
import { lookAtLevels } from '../levels/changes.ts';
import { removeWhatIsDue } from '../processes/changes/removals.ts';
import { hasEnded, orderNodeRemove, orderNodeStart, orderNodeStop, type Refused } from '../processes/orders.ts';
import { isHalon, isManaged, type MeroProcess } from '../processes/process.ts';
import { limitsOf } from '../processes/rows/limits.ts';
import { meroNodeView } from '../processes/view.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from './mero-node.ts';
import { type MeroHost, meroHost, orderTo, processesOfNode } from './reads.ts';

/** A host that is a Mero node, and its processes. */
type Found = { readonly host: MeroHost; readonly meroNode: MeroNode; readonly processes: readonly MeroProcess[] };

async function found(shell: Shell, reading: Reading, cluster: StorageCluster, name: string): Promise<Found> {
  const host = await meroHost(shell, reading, cluster, name);
  const meroNode = host.mero.state;
  if (!meroNode) throw noMeroNode(host);
  return { host, meroNode, processes: await processesOfNode(shell, reading, cluster, meroNode) };
}

const noMeroNode = ({ fqdn }: MeroHost): Refusal => new Refusal('unknown-node', `${fqdn} is not a Mero node: it has no processes`);

/** A host of a storage cluster with its processes. */
export async function getMeroNode({ params, caller }: AdminCall<'getMeroNode'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const { host, meroNode, processes } = await found(shell, new Reading(shell), cluster, params.node);
  return { status: 200, body: meroNodeView(meroNode, processes, { node: host.node.state, cluster, meroNode }) };
}

type Order = { readonly shell: Shell; readonly id: string; readonly cluster: StorageCluster; readonly node: string };
type Ordered = Plan & { readonly outcome: Decision<MeroNode>; readonly found: Found };

/**
 * Carries out an operator's order: the row of the Mero node changes, and its agent is notified, in one commit; then the
 * levels are checked.
 */
async function ordered({ shell, id, cluster, node }: Order, decide: (found: Found) => Decision<MeroNode> | Refused): Promise<Ordered> {
  const plan = await applyPlan(shell, { id }, async (reading): Promise<Ordered> => {
    const about = await found(shell, reading, cluster, node);
    const outcome = decide(about);
    if (outcome.does === 'refuse') throw new Refusal('refused', outcome.because);
    if (outcome.does !== 'write') return { changes: [], because: [outcome.because], outcome, found: about };
    const ref = meroNodeRef(meroNodeId(about.meroNode));
    // A Mero node that is being removed is due until it is gone: the sweep completes the removal.
    const due = outcome.next.removing ? { ...outcome, wakeAt: shell.now() } : outcome;
    const notified = await orderTo(reading, about.host.node, { because: outcome.because, now: shell.now() });
    return { changes: [changeOfRow(ref, about.host.mero.row, due), ...notified], because: [outcome.because], outcome, found: about };
  });
  if (plan.changes.length > 0) await lookAtLevels(shell, cluster.zone);
  return plan;
}

const answered = ({ outcome, because }: Ordered): Answer => ({
  status: 202,
  body: { done: outcome.does === 'write', because: because[0]! },
});

/** Lets the processes of a host run again. */
export async function startMeroNode({ params, request, caller }: AdminCall<'startMeroNode'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  return answered(await ordered({ shell, id: request.id, cluster, node: params.node }, ({ meroNode }) => orderNodeStart(meroNode)));
}

/** Stops the managed processes of a host. */
export async function stopMeroNode({ params, body, request, caller }: AdminCall<'stopMeroNode'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const lost = await lossOf(shell, cluster, params.node, body.force);
  return answered(
    await ordered({ shell, id: request.id, cluster, node: params.node }, ({ meroNode }) => orderNodeStop(meroNode, lost, body.reason)),
  );
}

/** The losses of the cluster without all managed processes of a host; undefined if forced. */
async function lossOf(shell: Shell, cluster: StorageCluster, node: string, force: boolean): Promise<string | undefined> {
  if (force) return undefined;
  const { processes } = await found(shell, new Reading(shell), cluster, node);
  return lossWithout(
    shell,
    cluster.zone,
    processes.filter(isManaged).map(({ fid }) => fid),
  );
}

type Removing = { readonly zone: string; readonly node: string; readonly force: boolean; readonly dryRun: boolean; readonly host: boolean };

/** Removes the Mero node of a host with all its processes. */
export const removeMeroNode = async ({ params, body, request, caller }: AdminCall<'removeMeroNode'>, shell: Shell): Promise<Answer> => {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  return remove(shell, cluster, { ...body, ...params, host: false }, request.id);
};

/**
 * Removes the Mero node of a host with all its processes, and the node of the host, too, unless client systems wait for
 * that and no other. If the host has no processes, it removes the node alone.
 */
export const removeHalonNode = async ({ params, body, request, caller }: AdminCall<'removeHalonNode'>, shell: Shell): Promise<Answer> => {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const host = await meroHost(shell, new Reading(shell), cluster, params.node);
  if (host.node.state) await refuseAwaited(shell, host.node.state);
  if (host.mero.state) return remove(shell, cluster, { ...body, ...params, host: true }, request.id);
  if (body.dryRun) return removal(false, `${host.fqdn} would be removed`, { nodeGone: true });
  const plan = await applyPlan(shell, { id: request.id }, (reading) => removalOfNode(shell, reading, host.node.state!.id, request.id));
  return removal(plan.changes.length > 0, plan.because[0]!, { nodeGone: true });
};

async function remove(shell: Shell, cluster: StorageCluster, { zone, node, force, dryRun, host }: Removing, id: string): Promise<Answer> {
  const asked = { host, by: plusMs(shell.now(), limitsOf(cluster).stopMs), lost: await lossOf(shell, cluster, node, force) };
  if (dryRun) {
    const about = await found(shell, new Reading(shell), cluster, node);
    const outcome = orderNodeRemove(about.meroNode, about.processes, asked);
    if (outcome.does === 'refuse') throw new Refusal('refused', outcome.because);
    const { gone, stopping } = apart(about.processes);
    return removal(false, `${about.host.fqdn} would be removed`, { gone, stopping, nodeGone: stopping.length === 0 });
  }
  const plan = await ordered({ shell, id, cluster, node }, ({ meroNode, processes }) => orderNodeRemove(meroNode, processes, asked));
  const { fqdn } = plan.found.host;
  const removed = await removeWhatIsDue(shell, { zone, fqdn }, `${id}-remove`);
  const { stopping } = apart(plan.found.processes.filter(({ fid }) => !removed.gone.includes(fid)));
  const because = removed.nodeGone ? `${fqdn} removed` : plan.because[0]!;
  return removal(plan.outcome.does === 'write' || removed.nodeGone, because, { gone: removed.gone, stopping, nodeGone: removed.nodeGone });
}

/** Processes that may go at once, and those that stop first. */
function apart(processes: readonly MeroProcess[]): { gone: Fid[]; stopping: Fid[] } {
  const isNow = (process: MeroProcess): boolean => hasEnded(process) || isHalon(process);
  const fids = (those: readonly MeroProcess[]): Fid[] => those.map(({ fid }) => fid);
  return { gone: fids(processes.filter(isNow)), stopping: fids(processes.filter((process) => !isNow(process))) };
}

type RemovalOutcome = { readonly gone?: readonly Fid[]; readonly stopping?: readonly Fid[]; readonly nodeGone: boolean };
const removal = (done: boolean, because: string, { gone = [], stopping = [], nodeGone }: RemovalOutcome): Answer => ({
  status: 202,
  body: { done, because, gone, stopping, nodeGone },
});
