import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import { type SignedCall, type Signer, signerOf } from '../../lib/identity/signature.ts';

/** The beginning of an Ed25519 private key in PKCS #8, before its 32 bytes (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key pairs of names so far, because callers ask for the same one again and again. */
const pairs = new Map<string, KeyPair>();

/** The Ed25519 key pair that belongs to a name; the same for the same name. */
export function keyPairOf(name: string): KeyPair {
  const pair = pairs.get(name) ?? madeFor(name);
  pairs.set(name, pair);
  return pair;
}

/** The Ed25519 private key of 32 bytes. */
const privateKeyOf = (seed: Buffer): KeyObject => createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });

const seedOf = (name: string): Buffer => createHash('sha256').update(name).digest();

/** The public half of the key pair that belongs to a name, in PEM. It is not kept: a caller may ask for thousands. */
export const publicPemOf = (name: string): string =>
  createPublicKey(privateKeyOf(seedOf(name)))
    .export({ type: 'spki', format: 'pem' })
    .toString();

function madeFor(name: string): KeyPair {
  const seed = seedOf(name);
  const key = privateKeyOf(seed);
  return { publicKey: createPublicKey(key).export({ format: 'jwk' }).x as string, privateKey: seed.toString('base64url') };
}

/** Signers by key, each made once: tests sign by the thousand. */
const signers = new WeakMap<KeyPair, Signer>();
function signerFor(pair: KeyPair): Signer {
  const signer = signers.get(pair) ?? signerOf(pair);
  signers.set(pair, signer);
  return signer;
}

/** The headers that sign a call by this key, at a moment in ms; the nonce is a new one unless it is given. */
export const signedBy = (
  pair: KeyPair,
  call: SignedCall,
  { deployment, nowMs, nonce = randomBytes(18).toString('base64url') }: { deployment: string; nowMs: number; nonce?: string },
): Readonly<Record<string, string>> => signerFor(pair).sign(call, { deployment, createdS: Math.floor(nowMs / 1000), nonce });
