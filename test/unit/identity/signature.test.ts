import { describe, expect, it } from 'vitest';
import { faultOfKey, verifyingKey } from '../../../lib/core/public-key.ts';
import { newKeyPair } from '../../../lib/identity/key-pair.ts';
import { isSignedBy, readSignature, signerOf } from '../../../lib/identity/signature.ts';

const call = { method: 'POST', path: '/nodes/join', query: '', body: '{"fqdn":"node1.example.test"}' };
const at = { deployment: 'test', createdS: 1_900_000_000, nonce: 'abcdefghijklmnop' };

describe('a signed call', () => {
  const pair = newKeyPair();
  const headers = signerOf(pair).sign(call, at);
  const read = readSignature({ ...call, header: (name) => headers[name] }, { deployment: 'test', nowS: at.createdS + 299 });

  it('is read back, and holds for its key alone', () => {
    if (!read.ok) throw new Error(read.detail);
    expect(isSignedBy(read.claim, verifyingKey(pair.publicKey))).toBe(true);
    expect(isSignedBy(read.claim, verifyingKey(newKeyPair().publicKey))).toBe(false);
  });
});

describe('a public key', () => {
  it('of small order or in a second encoding is weak', () => {
    for (const hex of [
      '00'.repeat(32),
      `01${'00'.repeat(31)}`,
      `01${'00'.repeat(30)}80`,
      `ec${'ff'.repeat(30)}7f`,
      `ee${'ff'.repeat(30)}7f`,
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    ])
      expect(faultOfKey(Buffer.from(hex, 'hex').toString('base64url')), hex).toBe('weak-key');
    expect(faultOfKey(newKeyPair().publicKey)).toBeUndefined();
    expect(faultOfKey('AAAA')).toBe('unsupported-key');
  });
});
