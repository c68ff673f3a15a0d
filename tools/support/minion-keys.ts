import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { minionFingerprintOf } from '../../lib/identity/fingerprint.ts';
import { minionStatement } from '../../lib/identity/minion-proof.ts';
import { keyPairOf, publicPemOf } from './signing.ts';

/** A minion's key: its public half as the minion's file has it, and the private one. */
export type MinionKeyPair = { readonly publicKey: string; readonly privateKey: KeyObject; readonly fingerprint: Fingerprint };

/**
 * The minion's key that belongs to a name, the same for the same name. It is an Ed25519 key: an RSA key takes a while
 * to find.
 */
export function minionKeyOf(name: string): MinionKeyPair {
  const { publicKey: x, privateKey: d } = keyPairOf(`the minion ${name}`);
  return pairOf(createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' }));
}

/** The public half of the minion's key that belongs to a name, as Salt writes it; quicker than the whole key. */
export const minionPemOf = (name: string): string => publicPemOf(`the minion ${name}`);

/** The pair of a private key, with the public key as Salt writes it. */
export function pairOf(privateKey: KeyObject): MinionKeyPair {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string;
  return { publicKey, privateKey, fingerprint: minionFingerprintOf(publicKey) };
}

/** What a knock of this daemon says of the minion beside it, with the proof by the minion's key. */
export const minionOf = (id: string, { publicKey, privateKey }: MinionKeyPair, daemon: Fingerprint) => ({
  id,
  publicKey,
  proof: proofBy(privateKey, minionStatement(daemon)),
});

/** A signature over a text by an RSA or Ed25519 key, in base64. */
export const proofBy = (key: KeyObject, text: string): string =>
  sign(key.asymmetricKeyType === 'rsa' ? 'sha256' : null, Buffer.from(text, 'utf8'), key).toString('base64');
