import crypto, { type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Every agent, daemon and function of a world lives in one process, so that each Ed25519 signature in it is made and
 * verified here. Importing this file has node:crypto put a digest of key and bytes in its place: as long, another one
 * for other bytes or another key, and good where it is what the key and the bytes give. Nobody in a world computes it
 * for a key that is not his. Keys are real, and remembered; with keys of another kind Node signs and verifies as ever.
 * That real signatures hold is tested where they are made (test/unit/identity).
 */

/** How many keys are remembered; beyond that, all are forgotten. */
const keysMax = 10_000;

const { sign, verify, hash, createPrivateKey, createPublicKey } = crypto;

const keys = { public: new Map<string, KeyObject>(), private: new Map<string, KeyObject>() };
/**
 * The public half of a key, by which the two halves know each other; undefined for a key of another kind than Ed25519.
 */
const halves = new WeakMap<KeyObject, { readonly x: string | undefined }>();

function halfOf(key: KeyObject): string | undefined {
  const before = halves.get(key);
  if (before) return before.x;
  const whole = key.asymmetricKeyType === 'ed25519' ? (key.type === 'private' ? createPublicKey(key) : key) : undefined;
  const x = whole?.export({ format: 'jwk' }).x;
  halves.set(key, { x });
  return x;
}

/** Under what a key is remembered: it is given as PEM, or as the members of a JWK. */
const nameOf = (given: unknown): string | undefined => {
  if (typeof given === 'string') return given;
  const { key, format } = given as { readonly key?: unknown; readonly format?: unknown };
  return format === 'jwk' ? JSON.stringify(key) : undefined;
};

const remembering =
  <G>(kind: keyof typeof keys, make: (given: G) => KeyObject) =>
  (given: G): KeyObject => {
    const name = nameOf(given);
    const before = name === undefined ? undefined : keys[kind].get(name);
    if (before) return before;
    const key = make(given);
    if (keys[kind].size >= keysMax) keys[kind].clear();
    if (name !== undefined) keys[kind].set(name, key);
    return key;
  };

const textOf = (bytes: NodeJS.ArrayBufferView): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

const isKey = (key: unknown): key is KeyObject => key instanceof crypto.KeyObject;

/**
 * What stands for the signature of these bytes by the key with this public half: 64 bytes, as an Ed25519 signature has.
 */
const standIn = (x: string, bytes: NodeJS.ArrayBufferView): Buffer => hash('sha512', `${x} ${textOf(bytes)}`, 'buffer');

function quickSign(algorithm: string | null | undefined, bytes: Buffer, key: KeyObject): Buffer {
  const x = isKey(key) ? halfOf(key) : undefined;
  return x === undefined ? sign(algorithm, bytes, key) : standIn(x, bytes);
}

function quickVerify(algorithm: string | null | undefined, bytes: Buffer, key: KeyObject, signature: Buffer): boolean {
  const x = isKey(key) ? halfOf(key) : undefined;
  return x === undefined ? verify(algorithm, bytes, key, signature) : standIn(x, bytes).equals(signature);
}

Object.assign(crypto, {
  sign: quickSign,
  verify: quickVerify,
  createPublicKey: remembering('public', createPublicKey),
  createPrivateKey: remembering('private', createPrivateKey),
});
syncBuiltinESMExports();
