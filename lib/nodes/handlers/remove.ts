import type { AdminCall } from '../../access/verify-admin.ts';
import { refuseAwaited } from '../../clients/reads/pinned-to.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNode } from '../../zones/reads/found.ts';
import { removalOfNode } from '../changes/removal.ts';

/**
 * Gives a node up for good: its row records that, and its key is rejected, in one commit. Its slots move as after a
 * drop.
 */
export async function removeNode({ params, request, caller }: AdminCall<'removeNode'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  await refuseAwaited(shell, node);
  const plan = await applyPlan(shell, { id: request.id }, (reading) => removalOfNode(shell, reading, node.id, request.id));
  return { status: 202, body: { done: plan.changes.length > 0, because: plan.because[0]! } };
}
