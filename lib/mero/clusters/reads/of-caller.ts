import type { AdminCaller } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { stateOf } from '../../../runtime/content.ts';
import { readRow } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { foundZone } from '../../../zones/reads/found.ts';
import { clusterRef, newCluster, type StorageCluster } from '../cluster.ts';

/**
 * A storage cluster as it was read, and the revision of its row; 0 for a zone that was made before zones had clusters.
 */
export type FoundCluster = { readonly cluster: StorageCluster; readonly rev: number };

/** The storage cluster of a zone. Throws a {@link Refusal} if the caller has no such zone, or it is of another kind. */
export async function clusterOf(shell: Shell, zone: string, caller: AdminCaller): Promise<FoundCluster> {
  const { head } = await foundZone(shell, zone, caller);
  if (head.kind !== 'storage') throw new Refusal('not-a-storage-zone', `zone ${zone} is a ${head.kind} zone: it has no storage cluster`);
  const row = await readRow(shell, clusterRef(zone));
  return { cluster: stateOf(row, shell.now()) ?? newCluster(head.name, shell.now()), rev: row?.rev ?? 0 };
}
