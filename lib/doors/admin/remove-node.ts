import { Refusal } from '../../api/problem.ts';
import type { Plan } from '../../decision.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import { decide } from '../../nodes/decide.ts';
import type { Node } from '../../nodes/node.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { earlier } from '../../units.ts';
import { heldKey, revokeKey } from '../machine-keys.ts';
import type { AdminCall } from '../verify-admin.ts';
import { zoneNow } from '../zones.ts';
import { foundNode } from './found.ts';
import { pinnedHardTo, systemsSaid } from './pinned-to.ts';

/** A node is given up for good: its row says so, and its key opens no door, in one commit. Its slots move as after a drop. */
export async function removeNode({ params, request, caller }: AdminCall<'removeNode'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  await refuseAwaited(shell, node);
  const plan = await applyPlan(shell, { id: request.id }, (reading) => removal(shell, reading, node, request.id));
  return { status: 202, body: { done: plan.changes.length > 0, because: plan.because[0]! } };
}

/** Throws a {@link Refusal} for a node that client systems wait for and no other; who takes its place has them, too. */
async function refuseAwaited(shell: Shell, node: Node): Promise<void> {
  const awaiting = node.replacedBy ? 0 : await pinnedHardTo(shell, node, zoneNow);
  if (awaiting > 0)
    throw new Refusal(
      'refused',
      `${systemsSaid(awaiting)} wait for ${node.fqdn} and no other: pin them elsewhere, or pin them no more (system list --pinned), or have it replaced`,
    );
}

async function removal(shell: Shell, reading: Reading, found: Node, id: string): Promise<Plan> {
  const ref = { noun: 'node', id: found.id };
  const row = await reading.row(ref);
  const now = shell.now();
  const node = stateOf<Node>(row, now);
  const decision = decide(node, { type: 'remove', id }, now);
  if (!node || decision.does === 'nothing') return { changes: [], because: [decision.because] };
  // A plan sets `wakeAt` as it is decided; an order may only bring it forward.
  const wakeAt = decision.does === 'write' ? earlier(row?.wakeAt, decision.wakeAt) : undefined;
  const owner = { noun: 'node', id: node.id } as const;
  const keys = await Promise.all(keysOf(node).map((key) => heldKey(shell, reading, fingerprintOf(key))));
  return {
    changes: [
      { ref, readRev: row!.rev, decision: { ...decision, ...(wakeAt !== undefined && { wakeAt }) } },
      ...keys.flatMap((key) => revokeKey(key, owner, now)),
    ],
    because: [decision.because],
  };
}

/** Every key by which the node may speak. */
const keysOf = ({ publicKey }: Node): string[] => [publicKey];
