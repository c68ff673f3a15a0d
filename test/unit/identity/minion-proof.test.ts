import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fingerprint } from '../../../lib/core/ids.ts';
import { faultOfProof, minionStatement } from '../../../lib/identity/minion-proof.ts';
import { fpOf } from '../../../tools/support/builders.ts';
import { minionKeyOf, pairOf, proofBy } from '../../../tools/support/minion-keys.ts';

const rsa = pairOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
const edwards = minionKeyOf('web1');
const kinds = [
  ['RSA', rsa],
  ['Ed25519', edwards],
] as const;
const web1 = fpOf('web1');
const aFingerprint = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }) as fc.Arbitrary<Fingerprint>;
const wrong = "the proof is not a signature of this key over this daemon's fingerprint";

describe.each(kinds)('a proof by an %s key', (_kind, { publicKey, privateKey }) => {
  it('holds for the daemon that it was made for, and for no other', () => {
    fc.assert(
      fc.property(aFingerprint, aFingerprint, (one, other) => {
        const proof = proofBy(privateKey, minionStatement(one));
        expect(faultOfProof({ publicKey, proof }, one)).toBeUndefined();
        expect(faultOfProof({ publicKey, proof }, other)).toBe(one === other ? undefined : wrong);
      }),
      { numRuns: 20 },
    );
  });

  it('holds no more once any bit of it is another', () => {
    const proof = Buffer.from(proofBy(privateKey, minionStatement(web1)), 'base64');
    fc.assert(
      fc.property(fc.nat(proof.length * 8 - 1), (bit) => {
        const changed = Buffer.from(proof);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        expect(faultOfProof({ publicKey, proof: changed.toString('base64') }, web1)).toBe(wrong);
      }),
      { numRuns: 50 },
    );
  });

  it('is not anything that a caller may come up with', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.uint8Array({ maxLength: 300 }).map((b) => Buffer.from(b).toString('base64')),
        ),
        (proof) => {
          expect(faultOfProof({ publicKey, proof }, web1)).toBeTypeOf('string');
        },
      ),
    );
  });

  it('is over the text that names its purpose, so that nothing else the key signs will do', () => {
    expect(faultOfProof({ publicKey, proof: proofBy(privateKey, web1) }, web1)).toBe(wrong);
  });
});

it('a key in the form of PKCS #1 is read as well as the one that Salt writes', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'pkcs1', format: 'pem' }) as string;
  expect(faultOfProof({ publicKey: pem, proof: proofBy(privateKey, minionStatement(web1)) }, web1)).toBeUndefined();
});

it('a proof by another padding or digest is none', () => {
  const statement = Buffer.from(minionStatement(web1));
  for (const proof of [sign('sha1', statement, rsa.privateKey), sign('sha512', statement, rsa.privateKey)])
    expect(faultOfProof({ publicKey: rsa.publicKey, proof: proof.toString('base64') }, web1)).toBe(wrong);
});

describe('a key that proves nothing', () => {
  const faultOf = (privateKey: Parameters<typeof pairOf>[0]) =>
    faultOfProof({ publicKey: pairOf(privateKey).publicKey, proof: 'AAAA' }, web1);

  it('is too short an RSA key', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    expect(faultOf(privateKey)).toBe('an RSA key has 2048 to 8192 bits; this one has 1024');
  });
  it.each([
    ['long an RSA key', 16_384, 'AQAB', 'an RSA key has 2048 to 8192 bits; this one has 16384'],
    ['slow an RSA key', 3072, Buffer.alloc(384, 0x7f).toString('base64url'), 'the public exponent of the RSA key has more than 32 bits'],
  ])('is too %s to be verified for anybody', (_which, bits, e, fault) => {
    const n = Buffer.alloc(bits / 8, 0xff).toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string;
    expect(faultOfProof({ publicKey, proof: 'AAAA' }, web1)).toBe(fault);
  });
  it('is one of another kind', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(faultOf(privateKey)).toBe('the public key is neither an RSA nor an Ed25519 key');
  });
  it('is one of small order', () => {
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.alloc(32)]).toString('base64');
    const publicKey = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`;
    expect(faultOfProof({ publicKey, proof: 'AAAA' }, web1)).toBe('the public key is weak: anybody can make its signatures');
  });
  it('is no key', () => {
    fc.assert(
      fc.property(fc.base64String({ minLength: 4, maxLength: 64 }), (body) => {
        const publicKey = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
        expect(faultOfProof({ publicKey, proof: 'AAAA' }, web1)).toBe('the public key cannot be read: send it in PEM');
      }),
    );
  });
});
