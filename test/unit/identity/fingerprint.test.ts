import { createHash, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Fingerprint, NodeId, PublicKey, showFingerprint } from '../../../lib/core/ids.ts';
import { fingerprintOf, minionFingerprintOf, minionTextFingerprintsOf, nodeIdOf } from '../../../lib/identity/fingerprint.ts';
import { newKeyPair } from '../../../lib/identity/key-pair.ts';

/** A public key of RFC 8032, section 7.1, test 1. */
const raw = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const publicKey = Buffer.from(raw, 'hex').toString('base64url');

describe('a fingerprint', () => {
  it('is the SHA-256 of the raw public key', () => {
    expect(fingerprintOf(publicKey)).toBe('21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9');
  });

  it('is read with or without colons, in either case, and shown with them', () => {
    const fp = fingerprintOf(publicKey);

    expect(Fingerprint.parse(showFingerprint(fp).toUpperCase())).toBe(fp);
    expect(showFingerprint(fp)).toMatch(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
  });

  it('of a minion’s key is what salt-key shows: over the lines between the PEM’s first and last', () => {
    const body = ['MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A', 'MIIBCgKCAQEAtest'];
    const pem = ['-----BEGIN PUBLIC KEY-----', ...body, '-----END PUBLIC KEY-----', ''];
    const expected = createHash('sha256').update(`${body[0]}\n${body[1]}\n`).digest('hex');

    for (const ending of ['\n', '\r\n']) expect(minionFingerprintOf(pem.join(ending))).toBe(expected);
  });

  it('of a minion’s key is also what salt-key of Salt 3008 shows: over the whole text, as a minion sends it or as a file has it', () => {
    const text = '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----';
    const [sent, copied] = [text, `${text}\n`].map((one) => createHash('sha256').update(one).digest('hex'));

    for (const pem of [text, `${text}\n`, `${text}\n\n`, text.replaceAll('\n', '\r\n')])
      expect(minionTextFingerprintsOf(pem)).toEqual([sent, copied]);
  });

  it('begins the id of a node, so that the same key is the same node', () => {
    expect(nodeIdOf(publicKey)).toBe('n21fe31dfa154a261');
    expect(NodeId.safeParse(nodeIdOf(publicKey)).success).toBe(true);
  });
});

describe('a new key pair', () => {
  it('is Ed25519, its public half as Muster reads it, and another one each time', () => {
    const pair = newKeyPair();

    expect(PublicKey.safeParse(pair.publicKey).success).toBe(true);
    expect(createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: pair.publicKey }, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
    expect(Buffer.from(pair.privateKey, 'base64url')).toHaveLength(32);
    expect(newKeyPair().publicKey).not.toBe(pair.publicKey);
  });
});
