import { createPrivateKey, sign, verify } from 'node:crypto';
import type { NodeId } from '../core/ids.ts';
import { verifyingKey } from '../core/public-key.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { KeyPair } from './key-pair.ts';

/** The replacement of a node's key `from` by `to`, in a deployment; both raw public keys in base64url. */
export type Rotation = { readonly deployment: string; readonly node: NodeId; readonly from: string; readonly to: string };

/** The statement that the new key signs. It proves that the new key is not someone else's. */
const statementOf = ({ deployment, node, from, to }: Rotation): Buffer =>
  Buffer.from(`muster-rotate:${deployment}:${node}:${fingerprintOf(from)}:${fingerprintOf(to)}`, 'utf8');

/** The new key's signature over the rotation, in base64url. */
export function proofOfRotation(rotation: Rotation, { publicKey, privateKey }: KeyPair): string {
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey, d: privateKey }, format: 'jwk' });
  return sign(null, statementOf(rotation), key).toString('base64url');
}

/** Whether the new key signed this rotation. */
export const isProofOfRotation = (proof: string, rotation: Rotation): boolean =>
  verify(null, statementOf(rotation), verifyingKey(rotation.to), Buffer.from(proof, 'base64url'));
