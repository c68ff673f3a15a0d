import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Fingerprint } from '../core/ids.ts';
import { faultOfKey } from '../core/public-key.ts';

/** Shorter RSA keys can be factored (NIST SP 800-131A, 3); Salt makes 2,048 bits. */
const rsaBitsMin = 2048;
/**
 * Limits on RSA keys, because any caller can send one and verification takes time: a millisecond at 8,192 bits. A
 * public exponent as long as the modulus would cost thirty times that; those in use are 3 and 65,537.
 */
const rsaMost = { bits: 8192, exponent: 2n ** 32n } as const;

/** The statement that a minion's key signs: this daemon, by its fingerprint, acts for the minion's machine. */
export const minionStatement = (daemon: Fingerprint): string => `muster-minion:${daemon}`;

/**
 * The reason why this is no proof that the minion's key (PEM) is on the machine of this daemon; undefined for a valid
 * proof: the base64 signature over {@link minionStatement}, by RSA of 2,048 to 8,192 bits (RSASSA-PKCS1-v1_5 with
 * SHA-256, RFC 8017, 8.2) or by Ed25519.
 */
export function faultOfProof({ publicKey, proof }: { publicKey: string; proof: string }, daemon: Fingerprint): string | undefined {
  const key = keyIn(publicKey);
  if (!key) return 'the public key cannot be read: send it in PEM';
  const kind = key.asymmetricKeyType;
  if (kind !== 'rsa' && kind !== 'ed25519') return 'the public key is neither an RSA nor an Ed25519 key';
  const rsa = kind === 'rsa' && faultOfRsa(key);
  if (rsa) return rsa;
  if (kind === 'ed25519' && faultOfKey(key.export({ format: 'jwk' }).x!)) return 'the public key is weak: anybody can make its signatures';
  const signature = Buffer.from(proof, 'base64');
  if (signature.length === 0 || signature.toString('base64') !== proof) return 'the proof is not in base64';
  const statement = Buffer.from(minionStatement(daemon), 'utf8');
  return verify(kind === 'rsa' ? 'sha256' : null, statement, key, signature)
    ? undefined
    : "the proof is not a signature of this key over this daemon's fingerprint";
}

function faultOfRsa({ asymmetricKeyDetails: { modulusLength: bits = 0, publicExponent = 0n } = {} }: KeyObject): string | undefined {
  if (bits < rsaBitsMin || bits > rsaMost.bits) return `an RSA key has ${rsaBitsMin} to ${rsaMost.bits} bits; this one has ${bits}`;
  return publicExponent >= rsaMost.exponent ? 'the public exponent of the RSA key has more than 32 bits' : undefined;
}

/** The key in a PEM; undefined if node:crypto finds none in it. */
function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
