import { bindKey, heldKey } from '../../access/machine-keys.ts';
import { notSigned } from '../../access/signed.ts';
import { Refusal } from '../../api/problem.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import { isProofOfRotation } from '../../identity/rotation-proof.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { nodeRef } from '../node.ts';
import type { memberRoutes } from '../routes.ts';
import { type NodeCaller, nodeOf } from '../verify-node.ts';
import { nodeChange } from './next-key.ts';

/**
 * A node names its next key. Both keys are accepted until it signs with the next one: a lost answer costs nothing, and
 * the request may be repeated.
 */
export async function rotate({ params, body, caller }: Call<(typeof memberRoutes)['rotate'], NodeCaller>, shell: Shell): Promise<Answer> {
  const { publicKey: to, proof } = body;
  const from = nodeOf(caller).publicKey;
  const done = { status: 202, body: { fingerprint: fingerprintOf(to) } };
  if (from === to) return done;
  if (!isProofOfRotation(proof, { deployment: shell.settings.deployment, node: params.id, from, to }))
    throw new Refusal('proof-invalid', 'the proof is not a signature of the new key over this rotation', {
      errors: [{ pointer: '/proof', detail: 'not by the key in /publicKey, or for another node, key or deployment' }],
    });
  const id = shell.newId();
  await applyPlan(shell, { id }, async (reading) => {
    // The key must be free now, and again when it is bound.
    bindKey(await heldKey(shell, reading, fingerprintOf(to)), nodeRef(params.id), shell.now());
    const { change, before } = await nodeChange(shell, reading, params.id, { type: 'name-key', id, publicKey: to });
    // While this call was under way the key that signed it was given up, or the node was removed.
    if (before?.publicKey !== from || before.removedAt !== undefined) throw notSigned(shell);
    // Whichever of two machines is first would have the node for itself.
    if (before.status === 'quarantined' && before.reason === 'clone')
      throw new Refusal('quarantined', 'two machines have this key: an operator must end the quarantine before either takes another key');
    return { changes: [change], because: ['a node names its next key'] };
  });
  return done;
}
