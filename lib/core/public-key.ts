import { createPublicKey, type KeyObject } from 'node:crypto';

/** The prime of Curve25519: coordinates are below it, in one encoding each (RFC 8032, 5.1.3). */
const prime = 2n ** 255n - 19n;

/**
 * The y coordinates of the points whose order divides eight: a signature by such a key proves nothing (RFC 8032, 5.1.7;
 * https://eprint.iacr.org/2020/1244).
 */
const smallOrderYs: readonly bigint[] = [
  0n,
  1n,
  prime - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
];

/**
 * Why a raw Ed25519 public key must not be trusted: it is no key, it has a second encoding, or it is of small order.
 */
export type KeyFault = 'unsupported-key' | 'weak-key';

/** The fault of a public key in base64url; undefined for a good key. */
export function faultOfKey(publicKey: string): KeyFault | undefined {
  const bytes = Buffer.from(publicKey, 'base64url');
  if (bytes.length !== 32 || bytes.toString('base64url') !== publicKey) return 'unsupported-key';
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  return y >= prime || smallOrderYs.includes(y) ? 'weak-key' : undefined;
}

/** What comes before the 32 bytes of an Ed25519 public key in its usual encoding, in base64 (RFC 8410, 4). */
const before = 'MCowBQYDK2VwAyEA';

/**
 * The key as node:crypto verifies with it. Throws if the text is no key at all. Node.js takes a text in a third of the
 * time that it takes a JWK.
 */
export const verifyingKey = (publicKey: string): KeyObject =>
  createPublicKey(
    `-----BEGIN PUBLIC KEY-----\n${before}${publicKey.replaceAll('-', '+').replaceAll('_', '/')}=\n-----END PUBLIC KEY-----\n`,
  );
