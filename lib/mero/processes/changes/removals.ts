import { type Decision, type Plan, type PlannedChange, write } from '../../../core/decision.ts';
import type { Fid } from '../../../core/fid.ts';
import { type EpochMs, plusMs, secondMs } from '../../../core/time.ts';
import { removalOfNode } from '../../../nodes/changes/removal.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../../runtime/content.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { clusterRef } from '../../clusters/cluster.ts';
import { lookAtLevels } from '../../levels/changes.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from '../../nodes/mero-node.ts';
import { nodeOfHost, orderTo, processesOfNode } from '../../nodes/reads.ts';
import { planRemoval, type RemovalStep } from '../plan-remove.ts';

/**
 * A Mero node, and in `also` the processes that an operator removes at this moment although their rows are not marked.
 */
export type Removing = { readonly zone: string; readonly fqdn: string; readonly also?: readonly Fid[] | undefined };

/** The outcome: the processes that are gone, whether the node is, and whether something remains to be removed. */
export type Removed = { readonly gone: readonly Fid[]; readonly nodeGone: boolean; readonly goesOn: boolean };

/**
 * Removes everything on a Mero node that is being removed and can go now, one commit after another, each whole by
 * itself; with its host if that is being removed. While something remains, the row of the Mero node stays due: the
 * sweep comes here again.
 */
export async function removeWhatIsDue(shell: Shell, removing: Removing, id: string): Promise<Removed> {
  const gone: Fid[] = [];
  for (let n = 0; ; n++) {
    const { step } = await applyPlan(shell, { id: `${id}-${n}` }, (reading) => stepOf(shell, reading, removing, `${id}-${n}`));
    gone.push(...(step?.removed.map(({ fid }) => fid) ?? []));
    if (step && !step.nodeGoes && step.removed.length > 0) continue;
    if (gone.length > 0) await lookAtLevels(shell, removing.zone);
    return { gone, nodeGone: step?.nodeGoes ?? false, goesOn: step?.goesOn ?? false };
  }
}

/** Continues the removal that a Mero node's row is due for, by the id of that row. */
export async function removeSoon(shell: Shell, meroNode: string): Promise<void> {
  const at = meroNode.indexOf('/');
  const { gone, nodeGone, goesOn } = await removeWhatIsDue(
    shell,
    { zone: meroNode.slice(0, at), fqdn: meroNode.slice(at + 1) },
    `remove-${shell.newId()}`,
  );
  if (gone.length > 0 || nodeGone) shell.log('info', 'removal.step', { row: `mero-node ${meroNode}`, gone: gone.length, nodeGone, goesOn });
}

type Step = Plan & { readonly step: RemovalStep | undefined };

async function stepOf(shell: Shell, reading: Reading, { zone, fqdn, also = [] }: Removing, id: string): Promise<Step> {
  const now = shell.now();
  const ref = meroNodeRef(meroNodeId({ zone, fqdn }));
  const row = await reading.row(ref);
  const meroNode = stateOf(row, now);
  const cluster = stateOf(await reading.row(clusterRef(zone)), now);
  if (!meroNode || !cluster) return { changes: [], because: ['there is no such Mero node'], step: undefined };
  const step = planRemoval(meroNode, await processesOfNode(shell, reading, cluster, meroNode), { now, also });
  if (step.rows.length === 0) {
    const rest: PlannedChange = { ref, readRev: row!.rev, decision: resting(meroNode, step, now) };
    return {
      changes: (step.goesOn && !step.isInTheWay) || row!.wakeAt === undefined ? [] : [rest],
      because: ['nothing can be removed now'],
      step,
    };
  }
  const rows = await reading.rows(step.rows.map((one) => one.ref));
  const because = `${step.removed.length} processes removed on ${fqdn}`;
  const changes = step.rows.flatMap((one, n): PlannedChange[] => {
    const there = rows[n];
    if (!there || there.gone) return [];
    const wakes = one.ref.noun === 'mero-node' && one.decision.does === 'write';
    return [
      wakes
        ? { ref: one.ref, readRev: there.rev, decision: { ...one.decision, ...dueAgain(step, now) } }
        : changeOfRow(one.ref, there, one.decision),
    ];
  });
  const node = await nodeOfHost(shell, reading, { zone, host: fqdn });
  const others =
    step.host && node.state
      ? (await removalOfNode(shell, reading, node.state.id, id)).changes
      : await orderTo(reading, node, { because, now });
  return { changes: [...changes, ...others], because: [because], step };
}

/**
 * A row without a removal is no longer due. A row whose remaining processes others use is due now and then: that may
 * take days.
 */
const resting = (meroNode: MeroNode, step: RemovalStep, now: EpochMs): Decision<MeroNode> =>
  step.goesOn
    ? write<MeroNode, never>(meroNode, 'only unmanaged processes remain, and they are in use', dueAgain(step, now))
    : write<MeroNode, never>(meroNode, 'nothing remains to be removed');

/**
 * When a node with more to remove is due again: at once, or every so often if only others can end the remaining
 * processes.
 */
const dueAgain = ({ goesOn, isInTheWay }: RemovalStep, now: EpochMs): { wakeAt?: EpochMs } =>
  goesOn ? { wakeAt: isInTheWay ? plusMs(now, lookAgainMs) : now } : {};

/** How often Muster checks whether unmanaged processes that are being removed have ended, in ms. */
const lookAgainMs = 30 * secondMs;
