import type { AdminCall } from '../../access/verify-admin.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNode } from '../../zones/reads/found.ts';
import { desiredRef } from './desired.ts';
import { decideTraces, type TraceOrder } from './traces.ts';

/** Switches traces of a part of a node's agent on or off: it is told so with what it is to run, within a heartbeat. */
export async function traceNode({ params, body, request, caller }: AdminCall<'traceNode'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  const order: TraceOrder = { id: request.id, ...body };
  const { decision, state } = await apply(shell, desiredRef(node.id), order, decideTraces);
  return { status: 200, body: { done: decision.does === 'write', because: decision.because, traces: state?.traces ?? [] } };
}
