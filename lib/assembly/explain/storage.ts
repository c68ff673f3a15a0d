import type { AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { Fid } from '../../core/fid.ts';
import { clusterRef, type StorageCluster } from '../../mero/clusters/cluster.ts';
import { clusterOf } from '../../mero/clusters/reads/of-caller.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from '../../mero/nodes/mero-node.ts';
import { meroProcess, nodeOfHost } from '../../mero/nodes/reads.ts';
import { type MeroProcess, processId } from '../../mero/processes/process.ts';
import { goalOf } from '../../mero/processes/rows/goal.ts';
import { type DisplayedState, displayedState } from '../../mero/processes/rows/shown.ts';
import type { Row } from '../../ports/table/table.ts';
import { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Explanation } from './routes.ts';
import { lastDecision } from './told.ts';

/** A subject in a storage zone: a process by its fid, or the cluster, which needs no other name than its zone. */
export type InStorage = { readonly zone: string | undefined; readonly id: string };

/** The process that a call names, with its cluster. Throws a {@link Refusal} when the caller sees no such process. */
export async function askedProcess(shell: Shell, { zone, id }: InStorage, caller: AdminCaller): Promise<FoundProcess> {
  if (zone === undefined)
    throw new Refusal('invalid', 'a process belongs to a zone: name the zone', { errors: [{ pointer: '/zone', detail: 'is missing' }] });
  const fid = Fid.safeParse(id);
  if (!fid.success) throw new Refusal('unknown-process', `${id} is not a fid`);
  const { cluster } = await clusterOf(shell, zone, caller);
  return { cluster, ...(await meroProcess(shell, new Reading(shell), cluster, fid.data)) };
}
type FoundProcess = { readonly cluster: StorageCluster; readonly process: MeroProcess; readonly row: Row };

/** The id of its row, which is the key of its history. */
export const processRowId = ({ process }: FoundProcess): string => processId(process);

/** Why a process is as it is: its last decision, its goal and why, and the status of its host. */
export async function explainProcess(shell: Shell, asked: InStorage, caller: AdminCaller): Promise<Explanation> {
  const { cluster, process, row } = await askedProcess(shell, asked, caller);
  const { zone, host, fid } = process;
  const meroRow = await readRow(shell, meroNodeRef(meroNodeId({ zone, fqdn: host })));
  const meroNode = stateOf(meroRow, shell.now());
  const node = (await nodeOfHost(shell, new Reading(shell), { zone, host })).state;
  const state = displayedState(process, { node, cluster, meroNode });
  return {
    subject: `process ${fid} on ${host}`,
    state: stateText(state),
    ...lastDecision(row),
    also: [
      { subject: 'its goal', because: goalText(process, cluster, meroNode) },
      ...(process.retryAt === undefined
        ? []
        : [
            {
              subject: 'the rule',
              because: `starts it again, attempt ${(process.attempts ?? 0) + 1}`,
              at: new Date(process.retryAt).toISOString(),
            },
          ]),
      { subject: `host ${host}`, because: node ? `its node ${node.id} is ${node.status}` : 'no node of this name has joined the zone' },
      ...clusterEntry(await readRow(shell, clusterRef(zone)), zone),
    ],
  };
}

const stateText = (state: DisplayedState): string => {
  if (state.is === 'failed') return `failed (${state.reason})`;
  return state.is === 'inhibited' ? `inhibited (was ${state.previous})` : state.is;
};

function goalText(process: MeroProcess, cluster: StorageCluster, meroNode: MeroNode | undefined): string {
  const goal = goalOf(process, cluster, meroNode);
  if (goal === undefined) return "nothing: it is Halon's own process, the agent of its host";
  if (goal === 'watch') return 'nothing: it is unmanaged, and only watched';
  if (process.removing) return 'to stop: an operator removes it';
  if (process.stopped) return 'to stop: an operator has stopped it';
  if (meroNode?.stopped) return 'to stop: an operator has stopped its host';
  return `to ${goal}: the cluster is ${cluster.disposition}, at level ${cluster.level}`;
}

const clusterEntry = (row: Row | undefined, zone: string): Explanation['also'] =>
  row ? [{ subject: `the storage cluster of zone ${zone}`, because: row.because, at: new Date(row.at).toISOString() }] : [];

/** Why a storage cluster is at its level: the last decision about its levels, or the order of an operator. */
export async function explainCluster(shell: Shell, zone: string, caller: AdminCaller): Promise<Explanation> {
  const { cluster } = await clusterOf(shell, zone, caller);
  const row = await readRow(shell, clusterRef(zone));
  return {
    subject: `the storage cluster of zone ${zone}`,
    state: `${cluster.disposition}, level ${cluster.level}, reached ${cluster.reached}`,
    ...(row ? lastDecision(row) : { because: 'it never existed', since: new Date(shell.now()).toISOString(), by: '-' }),
    also: [],
  };
}
