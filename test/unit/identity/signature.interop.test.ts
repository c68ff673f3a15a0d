import { createPrivateKey, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { createSigner, httpbis, type Request } from 'http-message-signatures';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyingKey } from '../../../lib/core/public-key.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { contentDigestOf, isSignedBy, readSignature, type SignedCall, signerOf } from '../../../lib/identity/signature.ts';

/** The key `test-key-ed25519` of RFC 9421, B.1.4, in base64url. */
const pair = { publicKey: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', privateKey: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU' };
const keyId = fingerprintOf(pair.publicKey);
const jwk = { kty: 'OKP', crv: 'Ed25519', x: pair.publicKey };
const verifier = createPublicKey({ key: jwk, format: 'jwk' });
const createdS = 1_900_000_000;
const at = { deployment: 'test', createdS, nonce: 'abcdefghijklmnop' };

const text = (unit: string, maxLength: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom(...unit), maxLength });
const calls: fc.Arbitrary<SignedCall> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: text('abcXYZ019-_~', 30).map((rest) => `/${rest}`),
  query: text('abc019=&+-_~', 20),
  body: fc.oneof(fc.constant(''), fc.json({ maxDepth: 2 })),
});

const requestOf = ({ method, path, query }: SignedCall, headers: Readonly<Record<string, string>>): Request => ({
  method,
  url: `https://muster.example.test${path}${query && `?${query}`}`,
  headers: { ...headers },
});

/** The headers as the library `http-message-signatures` makes them in our profile. */
async function theirs(call: SignedCall): Promise<Record<string, string>> {
  const key = createSigner(createPrivateKey({ key: { ...jwk, d: pair.privateKey }, format: 'jwk' }), 'ed25519', keyId);
  const message = requestOf(call, { 'content-digest': contentDigestOf(call.body) });
  const made = await httpbis.signMessage(
    {
      key,
      name: 'muster',
      fields: ['@method', '@path', '@query', 'content-digest'],
      params: ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'],
      paramValues: {
        created: new Date(createdS * 1000),
        expires: new Date((createdS + 60) * 1000),
        nonce: at.nonce,
        tag: 'muster-test',
      },
    },
    message,
  );
  return Object.fromEntries(Object.entries(made.headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

describe('the signature profile and the library http-message-signatures', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: createdS * 1000, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('agree on every call: the library makes the very headers that we make, and we accept them', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (call) => {
        const headers = await theirs(call);

        expect(headers).toEqual(signerOf(pair).sign(call, at));
        const read = readSignature({ ...call, header: (name) => headers[name] }, { deployment: 'test', nowS: createdS });
        expect(read.ok && isSignedBy(read.claim, verifyingKey(pair.publicKey))).toBe(true);
      }),
      { seed: 9421, numRuns: 300 },
    );
  });

  it('the library verifies what we sign, and refuses it on another path', async () => {
    const keyLookup = async () => ({
      algs: ['ed25519'],
      verify: async (base: Buffer, signature: Buffer) => {
        const claim = { keyId, created: createdS, expires: createdS + 60, nonce: at.nonce, base: base.toString('utf8'), signature };
        return isSignedBy(claim, verifier);
      },
    });
    await fc.assert(
      fc.asyncProperty(calls, async (call) => {
        const config = {
          keyLookup,
          requiredFields: ['@method', '@path', '@query', 'content-digest'],
          requiredParams: ['created', 'nonce', 'keyid', 'tag'],
        };
        const headers = signerOf(pair).sign(call, at);

        expect(await httpbis.verifyMessage(config, requestOf(call, headers))).toBe(true);
        expect(await httpbis.verifyMessage(config, requestOf({ ...call, path: `${call.path}x` }, headers))).toBe(false);
      }),
      { seed: 9421, numRuns: 300 },
    );
  });
});

describe('the Ed25519 example of RFC 9421, B.2.6', () => {
  const params = '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
  const base = `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ${params}`;
  const claim = { keyId, created: 1_618_884_473, expires: 1_618_884_533, nonce: '', base, signature: Buffer.from(signature, 'base64') };

  it('verifies as we verify', () => {
    expect(isSignedBy(claim, verifyingKey(pair.publicKey))).toBe(true);
    expect(isSignedBy({ ...claim, base: base.replace('/foo', '/fop') }, verifyingKey(pair.publicKey))).toBe(false);
  });

  it('has the lines that our base has for the same method and path', () => {
    const call = { method: 'POST', path: '/foo', query: '', body: '{"hello": "world"}' };
    const headers = signerOf(pair).sign(call, at);
    const read = readSignature({ ...call, header: (name) => headers[name] }, { deployment: 'test', nowS: createdS });

    expect(read.ok && read.claim.base.split('\n').slice(0, 2)).toEqual(base.split('\n').slice(1, 3));
  });

  it('is a signature in another profile, and so no signature to us', () => {
    const headers: Record<string, string> = { 'signature-input': `sig-b26=${params}`, signature: `sig-b26=:${signature}:` };
    const call = { method: 'POST', path: '/foo', query: 'param=Value&Pet=dog', body: '{"hello": "world"}' };

    const read = readSignature({ ...call, header: (name) => headers[name] }, { deployment: 'test', nowS: 1_618_884_473 });

    expect(read.ok ? 'read' : read.fault).toBe('signature-coverage');
  });
});
