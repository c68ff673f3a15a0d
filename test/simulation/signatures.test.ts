import crypto from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyPairOf } from '../../tools/support/signing.ts';

// As Node gives them, before anything stands in for them.
const { sign, verify } = crypto;
await import('./signatures.ts');
const standing = await import('node:crypto');

const keysOf = (name: string) => {
  const { publicKey: x, privateKey: d } = keyPairOf(name);
  const [half, whole] = [
    { kty: 'OKP', crv: 'Ed25519', x },
    { kty: 'OKP', crv: 'Ed25519', x, d },
  ];
  return {
    open: standing.createPublicKey({ key: half, format: 'jwk' }),
    secret: standing.createPrivateKey({ key: whole, format: 'jwk' }),
  };
};

const text = Buffer.from('what is signed');
const flipped = (bytes: Buffer): Buffer => {
  const changed = Buffer.from(bytes);
  changed[7]! ^= 1;
  return changed;
};

describe('what stands in for signatures', () => {
  it('is good for the key and the bytes that it was made of, and for nothing else', () => {
    const [one, other] = [keysOf('host1'), keysOf('host2')];
    const mine = standing.sign(null, text, one.secret);
    expect(mine).toHaveLength(sign(null, text, one.secret).length);
    expect(standing.sign(null, text, one.secret)).toEqual(mine);
    expect(standing.sign(null, text, other.secret)).not.toEqual(mine);
    for (const key of [one.open, other.open])
      for (const said of [text, flipped(text)])
        for (const signature of [mine, flipped(mine), mine.subarray(1), Buffer.alloc(0)])
          expect(standing.verify(null, said, key, signature)).toBe(key === one.open && said === text && signature === mine);
  });

  it('is a signature to nobody else', () => {
    const { open, secret } = keysOf('host1');
    expect(standing.sign).not.toBe(sign);
    expect(verify(null, text, open, standing.sign(null, text, secret))).toBe(false);
    expect(standing.verify(null, text, open, sign(null, text, secret))).toBe(false);
  });

  it('is left to Node where the key is of another kind', () => {
    const { publicKey, privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signature = standing.sign('sha256', text, privateKey);
    expect(standing.verify('sha256', text, publicKey, signature)).toBe(true);
    expect(standing.verify('sha256', flipped(text), publicKey, signature)).toBe(false);
  });

  it('knows a key by all that it is made of', () => {
    expect(keysOf('host1').open).toBe(keysOf('host1').open);
    expect(keysOf('host1').open.equals(keysOf('host2').open)).toBe(false);
    expect(() => standing.createPublicKey('no key')).toThrow();
  });
});
