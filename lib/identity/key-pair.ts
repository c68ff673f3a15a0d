import { generateKeyPairSync } from 'node:crypto';

/**
 * An Ed25519 key pair, each half 32 bytes in base64url: the public key as it is sent to Muster, the private one as it
 * is stored.
 */
export type KeyPair = { readonly publicKey: string; readonly privateKey: string };

/** Makes the key that identifies a machine from then on. */
export function newKeyPair(): KeyPair {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  if (x === undefined || d === undefined) throw new Error('node:crypto exported an Ed25519 key without its halves');
  return { publicKey: x, privateKey: d };
}
