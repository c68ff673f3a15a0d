import { generateKeyPairSync, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOfKey, verifyingKey } from '../../../lib/core/public-key.ts';
import { newKeyPair } from '../../../lib/identity/key-pair.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';

const prime = 2n ** 255n - 19n;

/** A point's 32 bytes in base64url: y from its lowest byte up, the highest bit telling which of two x. */
const encoded = (y: bigint, sign: 0n | 1n): string =>
  Buffer.from((y | (sign << 255n)).toString(16).padStart(64, '0'), 'hex')
    .reverse()
    .toString('base64url');

describe('a weak key', () => {
  const ys = pointsOfSmallOrder();

  it('is each of the eight points whose order divides eight, and the two encodings beside them that have no x', () => {
    expect(ys).toHaveLength(5);
    for (const y of ys) for (const sign of [0n, 1n] as const) expect(faultOfKey(encoded(y, sign)), `y ${y}`).toBe('weak-key');
  });

  it('is each second encoding of a point, one with a coordinate that is not below the prime', () => {
    for (let above = 0n; above < 19n; above++)
      for (const sign of [0n, 1n] as const) expect(faultOfKey(encoded(prime + above, sign)), `p + ${above}`).toBe('weak-key');
  });

  it('would let nobody in where it slipped through: no signature that needs no private key verifies', () => {
    const nothing = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
    for (const y of ys)
      for (const sign of [0n, 1n] as const) {
        const key = verifyingKey(encoded(y, sign));
        const held = Array.from({ length: 16 }, (_, n) => verify(null, Buffer.from(`message ${n}`), key, nothing));

        expect(
          held.filter((one) => one),
          `y ${y}, sign ${sign}`,
        ).toEqual([]);
      }
  });
});

describe('a public key', () => {
  it('that somebody made is never refused', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(faultOfKey(keyPairOf(name).publicKey)).toBeUndefined();
      }),
      { seed: 8032, numRuns: 1_000 },
    );
    for (let n = 0; n < 500; n++) expect(faultOfKey(newKeyPair().publicKey)).toBeUndefined();
  });

  it('has 32 bytes, written in base64url in the one way there is', () => {
    const { publicKey } = keyPairOf('a');
    const loose = publicKey.slice(0, -1) + String.fromCharCode(publicKey.charCodeAt(42) + 1);

    expect(Buffer.from(loose, 'base64url')).toEqual(Buffer.from(publicKey, 'base64url'));
    for (const wrong of [
      '',
      'AAAA',
      publicKey.slice(1),
      `${publicKey}A`,
      `${publicKey}=`,
      ` ${publicKey}`,
      loose,
      `${publicKey.slice(0, 42)}+`,
    ])
      expect(faultOfKey(wrong), wrong).toBe('unsupported-key');
  });

  it.each([
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey],
    ['P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
    ['Ed448', () => generateKeyPairSync('ed448').publicKey],
    ['Ed25519 in its DER form', () => generateKeyPairSync('ed25519').publicKey],
  ])('of another kind is not supported: %s', (_kind, made) => {
    expect(faultOfKey(made().export({ format: 'der', type: 'spki' }).toString('base64url'))).toBe('unsupported-key');
  });

  it('of any 32 bytes, even of no point at all, can be asked, and says no', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ minLength: 64, maxLength: 64 }), (bytes, signature) => {
        expect(verify(null, Buffer.from('a message'), verifyingKey(base64url(bytes)), signature)).toBe(false);
      }),
      { seed: 8032, numRuns: 1_000 },
    );
  });

  it('never throws for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 32, maxLength: 32 }).map(base64url)), (text) => {
        expect([undefined, 'weak-key', 'unsupported-key']).toContain(faultOfKey(text));
      }),
      { seed: 8032, numRuns: 2_000 },
    );
  });
});

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/**
 * The y coordinates of the points P with 8P = 0, found by arithmetic on the curve −x² + y² = 1 + dx²y² (RFC 8032, 5.1)
 * and not by looking at the list: a point of full order times the group's odd order has an order that divides eight.
 */
function pointsOfSmallOrder(): bigint[] {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const found = new Set<bigint>();
  for (let y = 2n; found.size < 5; y++) {
    const x = xOf(y);
    if (x !== undefined) found.add(times(order, [x, y])[1]);
  }
  return [...found];
}

type Point = readonly [x: bigint, y: bigint];
const mod = (n: bigint): bigint => ((n % prime) + prime) % prime;
const d = mod(-121665n * inverse(121666n));

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [mod(base), exponent]; left > 0n; [square, left] = [mod(square * square), left >> 1n])
    if (left & 1n) result = mod(result * square);
  return result;
}

function inverse(n: bigint): bigint {
  return power(n, prime - 2n);
}

/** An x that belongs to this y, when there is one. */
function xOf(y: bigint): bigint | undefined {
  const square = mod((y * y - 1n) * inverse(d * y * y + 1n));
  const root = power(square, (prime + 3n) / 8n);
  const other = mod(root * power(2n, (prime - 1n) / 4n));
  return [root, other].find((x) => mod(x * x) === square);
}

const sum = ([x1, y1]: Point, [x2, y2]: Point): Point => {
  const both = d * mod(x1 * x2) * mod(y1 * y2);
  return [mod((x1 * y2 + x2 * y1) * inverse(1n + both)), mod((y1 * y2 + x1 * x2) * inverse(1n - both))];
};

function times(factor: bigint, point: Point): Point {
  let result: Point = [0n, 1n];
  for (let [double, left] = [point, factor]; left > 0n; [double, left] = [sum(double, double), left >> 1n])
    if (left & 1n) result = sum(result, double);
  return result;
}
