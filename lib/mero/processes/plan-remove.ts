import type * as z from 'zod';
import type { NodeWasRemoved, ProcessWasRemoved } from '../../../events/published/mero.ts';
import type { ProcessHasFailed } from '../../../events/published/process.ts';
import { type Decision, type RowRef, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from '../nodes/mero-node.ts';
import { hasEnded, isInTheWay } from './orders.ts';
import { isHalon, type MeroProcess, processId, processRef } from './process.ts';

type Event = z.infer<typeof ProcessWasRemoved> | z.infer<typeof NodeWasRemoved> | z.infer<typeof ProcessHasFailed>;
/** A row and the decision about it. A row that is removed must exist. */
export type Removing = { readonly ref: RowRef; readonly decision: Decision<unknown, Event> };

/** One step of a removal: what it removes, and whether more steps follow. */
export type RemovalStep = {
  readonly removed: readonly MeroProcess[];
  readonly rows: readonly Removing[];
  /** The Mero node goes in this step; with `host` the node of its host goes, too. */
  readonly nodeGoes: boolean;
  readonly host: boolean;
  /** Whether something remains to be removed after this step. */
  readonly goesOn: boolean;
  /** Whether only processes remain that Muster does not run. Their removal waits for as long as others use them. */
  readonly isInTheWay: boolean;
};

/**
 * How many processes one commit removes: each takes three rows. The Mero node, the node's desired state, its own row
 * and its key take the others.
 */
export const removedAtOnce = 30;

/**
 * The next step of the removals on a Mero node. It removes processes that have ended, and those that have not ended in
 * time, which count as failed; each goes with its endpoint and devices. The Mero node itself goes if it is being
 * removed and no process is left. `also` are processes that have ended and that an operator removes at this moment.
 * Each step is whole by itself.
 */
export function planRemoval(
  meroNode: MeroNode,
  processes: readonly MeroProcess[],
  { now, also = [] }: { readonly now: EpochMs; readonly also?: readonly string[] },
): RemovalStep {
  const goes = (process: MeroProcess): boolean => isToGo(process, meroNode, also) && mayGo(process, meroNode, now);
  // Halon's own goes last: the other processes of its node get its endpoint.
  const going = processes.filter(goes).sort((a, b) => Number(isHalon(a)) - Number(isHalon(b)));
  const removed = going.slice(0, removedAtOnce);
  const left = processes.filter((process) => !removed.includes(process));
  const nodeGoes = meroNode.removing !== undefined && left.length === 0;
  const rows = [
    ...removed.flatMap((process) => rowsOf(process)),
    ...(removed.length > 0 || nodeGoes ? [nodeRow(meroNode, left, nodeGoes)] : []),
  ];
  const waiting = left.filter((process) => isToGo(process, meroNode, also));
  return {
    isInTheWay: waiting.length > 0 && waiting.every(isInTheWay),
    removed,
    rows,
    nodeGoes,
    host: nodeGoes && meroNode.removing!.host,
    goesOn: !nodeGoes && (meroNode.removing !== undefined || left.some(({ removing }) => removing)),
  };
}

const isToGo = ({ fid, removing }: MeroProcess, meroNode: MeroNode, also: readonly string[]): boolean =>
  removing === true || meroNode.removing !== undefined || also.includes(fid);

/**
 * Whether a process may go now. An unmanaged process never counts as failed because it continues to run: others use it.
 */
function mayGo(process: MeroProcess, { removing }: MeroNode, now: EpochMs): boolean {
  if (hasEnded(process) || isHalon(process)) return true;
  if (isInTheWay(process)) return false;
  const by = process.removeBy ?? removing?.by;
  return by !== undefined && by <= now;
}

function rowsOf(process: MeroProcess): Removing[] {
  const { zone, fid, host, endpoint } = process;
  const about = { zone, process: fid, host };
  const because = `${fid} removed`;
  const isLate = !hasEnded(process) && !isHalon(process);
  const reason = 'stop timeout';
  const failed: Event = { type: 'process.failed', version: 1, data: { ...about, reason, attempts: process.attempts ?? 0, retry: false } };
  const gone: Event = { type: 'process.removed', version: 1, data: about };
  const last: MeroProcess = isLate ? { ...process, state: { is: 'failed', reason } } : process;
  const row = (noun: string, id: string): Removing => ({ ref: { noun, id }, decision: { does: 'remove', last: {}, events: [], because } });
  return [
    {
      ref: processRef(processId(process)),
      decision: { does: 'remove', last, events: isLate ? [failed, gone] : [gone], because: isLate ? `${because}: ${reason}` : because },
    },
    row('endpoint', `${zone}/${endpoint}`),
    ...(process.devices > 0 ? [row('devices', processId(process))] : []),
  ];
}

function nodeRow(meroNode: MeroNode, left: readonly MeroProcess[], nodeGoes: boolean): Removing {
  const { zone, fid, fqdn } = meroNode;
  const ref = meroNodeRef(meroNodeId(meroNode));
  const next = { ...meroNode, processes: left.map((process) => process.fid) };
  if (!nodeGoes) return { ref, decision: write<MeroNode, Event>(next, `${left.length} processes left`) };
  const event: Event = { type: 'cluster.node-removed', version: 1, data: { zone, node: fid, host: fqdn } };
  return { ref, decision: { does: 'remove', last: next, events: [event], because: `${fqdn} removed with its last process` } };
}
