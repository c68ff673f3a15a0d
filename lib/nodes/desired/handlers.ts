import type { AdminCall } from '../../access/verify-admin.ts';
import { namesEtag } from '../../api/etag.ts';
import { Refusal } from '../../api/problem.ts';
import { musterVersion, versionHeader, vouchedHeader } from '../../api/version.ts';
import { clusterRef, isLive } from '../../mero/clusters/cluster.ts';
import { configurationFile } from '../../mero/facts/configuration.ts';
import { processId, processRef } from '../../mero/processes/process.ts';
import { environmentOf } from '../../mero/processes/reads/told.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNode } from '../../zones/reads/found.ts';
import { type NodeCaller, nodeOf } from '../verify-node.ts';
import { desiredRef } from './desired.ts';
import { desiredNow, hostProcesses } from './reads.ts';
import type { desiredRoutes } from './routes.ts';
import { decideTraces, type TraceOrder } from './traces.ts';

/**
 * Switches traces of a part of a node's agent on or off; the agent learns that within a heartbeat, with what it should
 * run.
 */
export async function traceNode({ params, body, request, caller }: AdminCall<'traceNode'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  const order: TraceOrder = { id: request.id, ...body };
  const { decision, state } = await apply(shell, desiredRef(node.id), order, decideTraces);
  return { status: 200, body: { done: decision.does === 'write', because: decision.because, traces: state?.traces ?? [] } };
}

type Routes = typeof desiredRoutes;

/** What the node should run and do. */
export async function desired({ request, caller }: Call<Routes['desired'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  const { revision, body } = await desiredNow(shell, node);
  const headers = { etag: `"${revision}"`, [versionHeader]: musterVersion, ...(node.vouched && { [vouchedHeader]: '1' }) };
  if (namesEtag(request.header('if-none-match'), headers.etag)) return { status: 304, headers };
  return { status: 200, body: await body(), headers };
}

/** The configuration of a process of the node, for the program that starts it there. */
export async function processConfiguration(
  { params, caller }: Call<Routes['processConfiguration'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  const node = nodeOf(caller);
  const [clusterRow, row] = await readRows(shell, [clusterRef(node.zone), processRef(processId({ zone: node.zone, fid: params.fid }))]);
  const cluster = stateOf(clusterRow, shell.now());
  const process = stateOf(row, shell.now());
  if (!cluster || !process || !isLive(process, cluster))
    throw new Refusal('unknown-process', `zone ${node.zone} has no process ${params.fid}`);
  if (process.host !== node.fqdn) throw new Refusal('not-owner', `process ${params.fid} belongs to another host than ${node.fqdn}`);
  const host = await hostProcesses(shell, node, cluster);
  const environment = environmentOf(process, { cluster, processes: host?.processes ?? [] });
  return { status: 200, body: { process: process.fid, file: configurationFile(process), environment } };
}
