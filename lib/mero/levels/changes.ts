import { type Decision, nothing } from '../../core/decision.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clusterRef, type StorageCluster } from '../clusters/cluster.ts';
import { bootLevel, type MeroProcess } from '../processes/process.ts';

/**
 * Notes that processes of a zone changed in a way that may affect the levels of its cluster: the next sweep checks
 * them. It takes one read, and a write only for the first report between two sweeps.
 */
export async function lookAtLevels(shell: Shell, zone: string): Promise<void> {
  const now = shell.now();
  const row = await readRow(shell, clusterRef(zone));
  if (!stateOf(row, now) || (row?.wakeAt !== undefined && row.wakeAt <= now)) return;
  const input = { type: 'tick' as const, id: `look-${shell.newId()}` };
  const soon = (cluster: StorageCluster | undefined): Decision<StorageCluster> => nothing('a process changed its state', cluster && now);
  await apply(shell, clusterRef(zone), input, soon, row);
}

/**
 * The same after a decision about a process, if levels depend on it: they never depend on a process that Muster does
 * not drive.
 */
export async function lookAfter(shell: Shell, decision: Decision<unknown>): Promise<void> {
  if (decision.does !== 'write') return;
  const { zone, type } = decision.next as MeroProcess;
  if (bootLevel({ type }) !== undefined) await lookAtLevels(shell, zone);
}
