import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { clusterPartition, clusterRange } from '../../../ports/table/keys.ts';
import { apply } from '../../../runtime/apply.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { clusterRef } from '../cluster.ts';
import { type ClusterCommand, decideCluster, noData } from '../command.ts';
import { clusterOf } from '../reads/of-caller.ts';

/** Sets a storage cluster to ONLINE. Throws a {@link Refusal} while nothing was loaded or added. */
export async function startMero({ params, request, caller }: AdminCall<'startMero'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const isEmpty = !cluster.loaded && !(await hasHosts(shell, params.zone));
  if (isEmpty) throw new Refusal('refused', noData);
  return orderCluster(shell, params.zone, { type: 'start', id: request.id, isEmpty });
}

/** Whether any host was added by itself. */
const hasHosts = async ({ table }: Shell, zone: string): Promise<boolean> =>
  (await table.query({ pk: clusterPartition(zone), ...clusterRange('node'), limit: 1 })).items.length > 0;

/** Sets a storage cluster to OFFLINE. */
export async function stopMero({ params, body, request, caller }: AdminCall<'stopMero'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  return orderCluster(shell, params.zone, { type: 'stop', id: request.id, forced: body.force, reason: body.reason });
}

async function orderCluster(shell: Shell, zone: string, command: ClusterCommand): Promise<Answer> {
  const { decision } = await apply(shell, clusterRef(zone), command, decideCluster);
  return { status: 202, body: { done: decision.does === 'write', because: decision.because } };
}
