import { bindKey, heldKey, revokeKey } from '../../access/machine-keys.ts';
import type { PlannedChange } from '../../core/decision.ts';
import type { NodeId } from '../../core/ids.ts';
import { earlier } from '../../core/time.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { NodeCommand } from '../command.ts';
import { decide } from '../decide.ts';
import { type Node, nodeRef } from '../node.ts';

/**
 * The node after its next key has signed a call: that key is bound to it and the former key is revoked, in one commit.
 * Undefined when that is no longer the node's next key.
 */
export async function takeNextKey(shell: Shell, id: NodeId, next: string): Promise<Node | undefined> {
  const call = shell.newId();
  const { node } = await applyPlan(shell, { id: call }, async (reading) => {
    const { change, before, after } = await nodeChange(shell, reading, id, { type: 'take-key', id: call, publicKey: next });
    const isTaken = after?.publicKey === next;
    if (before === undefined || before.publicKey === next || !isTaken)
      return { changes: [], because: ['no next key to take'], node: isTaken ? after : undefined };
    const owner = nodeRef(id);
    const [bound, given] = [
      await heldKey(shell, reading, fingerprintOf(next)),
      await heldKey(shell, reading, fingerprintOf(before.publicKey)),
    ];
    const changes = [change, ...bindKey(bound, owner, shell.now()), ...revokeKey(given, owner, shell.now())];
    return { changes, because: ['the next key signed a call'], node: after };
  });
  return node;
}

/** A command's change to a node's row; the row wakes no later than before. */
export async function nodeChange(
  shell: Shell,
  reading: Reading,
  id: NodeId,
  command: NodeCommand,
): Promise<{ change: PlannedChange; before: Node | undefined; after: Node | undefined }> {
  const ref = nodeRef(id);
  const row = await reading.row(ref);
  const now = shell.now();
  const before = stateOf(row, now);
  const decision = decide(before, command, now);
  const wakeAt = earlier(row?.wakeAt, decision.does === 'remove' ? undefined : decision.wakeAt);
  const change = { ref, readRev: row?.rev ?? 0, decision: { ...decision, ...(wakeAt !== undefined && { wakeAt }) } };
  return { change, before, after: decision.does === 'write' ? decision.next : before };
}
