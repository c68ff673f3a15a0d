import { heldKey, revokeKey } from '../../access/machine-keys.ts';
import type { Plan } from '../../core/decision.ts';
import { earlier } from '../../core/time.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decide } from '../decide.ts';
import { nodeRef } from '../node.ts';

/**
 * Gives a node up for good: its row records that, and its key is rejected, in one commit. Changes nothing for a node
 * that was removed already.
 */
export async function removalOfNode(shell: Shell, reading: Reading, node: string, id: string): Promise<Plan> {
  const ref = nodeRef(node);
  const row = await reading.row(ref);
  const now = shell.now();
  const known = stateOf(row, now);
  const decision = decide(known, { type: 'remove', id }, now);
  if (!known || decision.does === 'nothing') return { changes: [], because: [decision.because] };
  // A plan sets `wakeAt` as it is decided; an order may only bring it forward.
  const wakeAt = decision.does === 'write' ? earlier(row?.wakeAt, decision.wakeAt) : undefined;
  const owner = nodeRef(known.id);
  const key = await heldKey(shell, reading, fingerprintOf(known.publicKey));
  return {
    changes: [
      { ref, readRev: row!.rev, decision: { ...decision, ...(wakeAt !== undefined && { wakeAt }) } },
      ...revokeKey(key, owner, now),
    ],
    because: [decision.because],
  };
}
