import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyingKey } from '../../../lib/core/public-key.ts';
import { contentDigestOf, isSignedBy, readSignature, type SignedCall, signerOf } from '../../../lib/identity/signature.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { changed } from '../../support/changed.ts';

const pair = keyPairOf('node 1');
const signer = signerOf(pair);
const key = verifyingKey(pair.publicKey);
const createdS = 1_900_000_000;
const names = ['content-digest', 'signature-input', 'signature'] as const;

/** A call with its headers, as it is on its way. */
type Sent = { readonly call: SignedCall; readonly headers: Readonly<Record<string, string>> };

/** What a door makes of a call: the fault it tells, `accepted`, or `signature-invalid` when the key did not sign it. */
function verdict({ call, headers }: Sent, nowS = createdS, deployment = 'test'): string {
  const read = readSignature({ ...call, header: (name) => headers[name] }, { deployment, nowS });
  if (!read.ok) return read.fault;
  return isSignedBy(read.claim, key) ? 'accepted' : 'signature-invalid';
}

const faults = ['signature-missing', 'signature-profile', 'signature-coverage', 'signature-invalid', 'digest-mismatch', 'clock-skew'];

const text = (unit: string, maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength });
const calls: fc.Arbitrary<SignedCall> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: text('abcXYZ019-._~/%', 30).map((rest) => `/${rest}`),
  query: text('abc019=&%+-._~', 20),
  body: fc.oneof(fc.constant(''), fc.json({ maxDepth: 2 }), fc.string({ unit: 'binary', maxLength: 60 })),
});
const nonces = text('abcXYZ019_-', 64, 16);
const sent: fc.Arbitrary<Sent> = fc
  .record({ call: calls, nonce: nonces })
  .map(({ call, nonce }) => ({ call, headers: signer.sign(call, { deployment: 'test', createdS, nonce }) }));

/**
 * Edits of `signature-input` that its grammar knows: parameters and components that are others, more, fewer or in
 * another order.
 */
const inputEdits: readonly ((input: string) => string)[] = [
  (input) => input.replace(/created=\d+/, (was) => `created=${Number(was.slice(8)) + 1}`),
  (input) => input.replace(/expires=\d+/, (was) => `expires=${Number(was.slice(8)) - 1}`),
  (input) => input.replace(/(created|expires)=(\d+)/g, (_, name: string, was: string) => `${name}=${Number(was) - 1_000}`),
  (input) => input.replace('created=', 'created=0'),
  (input) => input.replace(/nonce="./, (was) => (was.endsWith('a') ? 'nonce="b' : 'nonce="a')),
  (input) => input.replace(/keyid="./, (was) => (was.endsWith('0') ? 'keyid="1' : 'keyid="0')),
  (input) => input.replace(/keyid="[0-9a-f]{64}/, (was) => `keyid="${was.slice(7).toUpperCase().replace(/^\d+$/, 'F')}`),
  (input) => input.replace('tag="muster-test"', 'tag="muster-tess"'),
  (input) => input.replace('tag="muster-test"', 'tag="muster-"'),
  (input) => input.replace('alg="ed25519"', 'alg="Ed25519"'),
  (input) => input.replace(';alg="ed25519"', ''),
  (input) => `${input};extra="1"`,
  (input) => `${input};tag="muster-test"`,
  (input) => `${input}, ${input}`,
  (input) => `${input}, sig1${input.slice(6)}`,
  (input) => `sig1${input.slice(6)}, ${input}`,
  (input) => `sig1${input.slice(6)}`,
  (input) => input.replace('"@method" "@path"', '"@path" "@method"'),
  (input) => input.replace('"@query"', '"@query" "@query"'),
  (input) => input.replace('"@query" ', ''),
  (input) => input.replace(' "content-digest"', ''),
  (input) => input.replace('"content-digest"', '"content-digest";sf'),
  (input) => input.replace('"@path"', '"@target-uri"'),
  (input) => input.replace('"@path"', '"@path" "date"'),
  (input) => input.replace('" "', '"  "'),
  (input) => input.replace(/;(created=\d+);(expires=\d+)/, ';$2;$1'),
];

const signatureEdits: readonly ((signature: string) => string)[] = [
  (signature) => `${signature}, ${signature}`,
  (signature) => `${signature}, sig1${signature.slice(6)}`,
  (signature) => `sig1${signature.slice(6)}`,
  (signature) => signature.replace('==:', ':'),
  (signature) => signature.slice('muster='.length),
  () => `muster=:${Buffer.alloc(64).toString('base64')}:`,
  () => `muster=:${Buffer.alloc(32).toString('base64')}:`,
];

const withHeader = ({ call, headers }: Sent, name: string, value: string): Sent => ({ call, headers: { ...headers, [name]: value } });
const without = ({ call, headers }: Sent, gone: string): Sent => ({
  call,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== gone)),
});

/** A call that is no longer the one that was signed, whatever was done to it. */
const tampered = (was: Sent): fc.Arbitrary<Sent> =>
  fc
    .oneof(
      fc
        .constantFrom('method', 'path', 'query', 'body' as const)
        .chain((part) => changed(was.call[part as keyof SignedCall]).map((now): Sent => ({ ...was, call: { ...was.call, [part]: now } }))),
      // Whoever changes a body can make its digest, too.
      changed(was.call.body).map(
        (body): Sent => withHeader({ ...was, call: { ...was.call, body } }, 'content-digest', contentDigestOf(body)),
      ),
      fc.constantFrom(...names).chain((name) => changed(was.headers[name]!).map((value) => withHeader(was, name, value))),
      fc.constantFrom(...names).map((name) => without(was, name)),
      fc.constantFrom(...inputEdits).map((edit) => withHeader(was, 'signature-input', edit(was.headers['signature-input']!))),
      fc.constantFrom(...signatureEdits).map((edit) => withHeader(was, 'signature', edit(was.headers['signature']!))),
      fc.nat({ max: 511 }).map((bit) => withHeader(was, 'signature', withBit(was.headers['signature']!, bit))),
    )
    .filter((now) => JSON.stringify(now) !== JSON.stringify(was));

function withBit(signature: string, bit: number): string {
  const bytes = Buffer.from(signature.slice('muster=:'.length, -1), 'base64');
  bytes[bit >> 3]! ^= 1 << (bit & 7);
  return `muster=:${bytes.toString('base64')}:`;
}

describe('a signature', () => {
  it('holds for the call it was made for, whatever that is, as long as the clocks agree', () => {
    fc.assert(
      fc.property(sent, fc.integer({ min: -300, max: 300 }), (one, offS) => {
        expect(verdict(one, createdS + offS)).toBe('accepted');
      }),
      { seed: 9421, numRuns: 500 },
    );
  });

  it('holds for no call in which anything is changed; the refusal is one of those that are declared, and each of them occurs', () => {
    const told = new Set<string>();
    fc.assert(
      fc.property(
        sent.chain((was) => tampered(was)),
        (now) => {
          const fault = verdict(now);
          told.add(fault);

          expect(faults).toContain(fault);
        },
      ),
      { seed: 9421, numRuns: 5_000 },
    );
    expect([...told].toSorted()).toEqual(faults.toSorted());
  });

  it('holds for no other method, path, query or body of the same key', () => {
    fc.assert(
      fc.property(sent, calls, (one, other) => {
        fc.pre(JSON.stringify(one.call) !== JSON.stringify(other));
        const digest = contentDigestOf(other.body);

        expect(verdict(withHeader({ ...one, call: other }, 'content-digest', digest))).toBe('signature-invalid');
      }),
      { seed: 9421, numRuns: 1_000 },
    );
  });

  it('has no second form: neither of the text nor of the number in it', () => {
    const one = { call: { method: 'GET', path: '/a', query: '', body: '' } };
    const headers = signer.sign(one.call, { deployment: 'test', createdS, nonce: 'n'.repeat(16) });
    const bytes = Buffer.from(headers['signature']!.slice('muster=:'.length, -1), 'base64');
    // S and S + L verify alike where nobody looks whether S is below the order of the group (RFC 8032, 8.4).
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
    const second = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()]);
    // The last letter before the padding carries four bits that mean nothing.
    const loose = headers['signature']!.replace(/(.)==:$/, (_, last: string) => `${nextLetter(last)}==:`);

    expect(verdict({ ...one, headers })).toBe('accepted');
    expect(verdict({ ...one, headers: { ...headers, signature: `muster=:${second.toString('base64')}:` } })).toBe('signature-invalid');
    expect(verdict({ ...one, headers: { ...headers, signature: loose } })).toBe('signature-profile');
  });
});

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const nextLetter = (letter: string): string => alphabet[alphabet.indexOf(letter) + 1]!;

describe('attacks on a signed call', () => {
  const call: SignedCall = { method: 'POST', path: '/nodes/n1/heartbeat', query: '', body: '{"seq":1}' };
  const at = { deployment: 'test', createdS, nonce: 'abcdefghijklmnop' };
  const headers = signer.sign(call, at);
  const input = headers['signature-input']!;
  const withInput = (now: string): Sent => withHeader({ call, headers }, 'signature-input', now);

  it.each<[number, string, Sent, string]>([
    [1, 'no signature at all', { call, headers: {} }, 'signature-missing'],
    [1, 'a signature that says nothing of itself', without({ call, headers }, 'signature-input'), 'signature-missing'],
    [2, 'made by another key under this keyid', forged(call, at), 'signature-invalid'],
    [3, 'another body', { call: { ...call, body: '{"seq":2}' }, headers }, 'digest-mismatch'],
    [3, 'no digest', without({ call, headers }, 'content-digest'), 'digest-mismatch'],
    [
      3,
      'a digest by another algorithm',
      withHeader({ call, headers }, 'content-digest', 'md5=:1B2M2Y8AsgTpgAmY7PhCfg==:'),
      'digest-mismatch',
    ],
    [4, 'the digest is not covered', withInput(input.replace(' "content-digest"', '')), 'signature-coverage'],
    [4, 'nothing is covered', withInput(input.replace(/\(.*\)/, '()')), 'signature-coverage'],
    [5, 'one component more', withInput(input.replace('"content-digest")', '"content-digest" "date")')), 'signature-profile'],
    [5, 'a component twice', withInput(input.replace('"@method"', '"@method" "@method"')), 'signature-profile'],
    [5, 'a second label', withInput(`${input}, b${input.slice(6)}`), 'signature-profile'],
    [5, 'a second signature', withHeader({ call, headers }, 'signature', `${headers['signature']}, b=:AAAA:`), 'signature-profile'],
    [6, 'another algorithm', withInput(input.replace('ed25519', 'hmac-sha256')), 'signature-profile'],
    [6, 'no algorithm', withInput(input.replace(';alg="ed25519"', '')), 'signature-profile'],
    [7, 'made ten minutes ago', signed(call, createdS - 600), 'clock-skew'],
    [7, 'made in ten minutes', signed(call, createdS + 600), 'clock-skew'],
    [8, 'good for more than a minute', withInput(input.replace(/expires=\d+/, `expires=${createdS + 61}`)), 'signature-profile'],
    [8, 'over before it was made', withInput(input.replace(/expires=\d+/, `expires=${createdS - 1}`)), 'signature-profile'],
    [11, 'sent to another path', { call: { ...call, path: '/nodes/n2/heartbeat' }, headers }, 'signature-invalid'],
    [11, 'sent with a query', { call: { ...call, query: 'a=1' }, headers }, 'signature-invalid'],
    [11, 'made for another deployment', { call, headers: signer.sign(call, { ...at, deployment: 'staging' }) }, 'signature-invalid'],
  ])('%i: %s', (_number, _what, one, fault) => {
    expect(verdict(one)).toBe(fault);
  });

  it('7: the clock is out of step from the 301st second on, either way', () => {
    expect([-301, -300, 300, 301].map((off) => verdict({ call, headers }, createdS + off))).toEqual([
      'clock-skew',
      'accepted',
      'accepted',
      'clock-skew',
    ]);
  });

  it('a line break in path or query gives no call the base of another', () => {
    const joined: SignedCall = { method: 'GET', path: '/a', query: 'b\n"@query": ?c', body: '' };
    const one = { call: { ...joined, path: '/a\n"@query": ?b', query: 'c' }, headers: signer.sign(joined, at) };

    expect(verdict(one)).toBe('signature-profile');
    expect(verdict({ call: joined, headers: one.headers })).toBe('signature-profile');
  });

  it('half a surrogate pair in a body does not pass for the character that replaces it', () => {
    const one = { ...call, body: '"\ufffd"' };

    expect(verdict({ call: { ...one, body: '"\ud800"' }, headers: signer.sign(one, at) })).toBe('digest-mismatch');
  });
});

function signed(call: SignedCall, created: number): Sent {
  return { call, headers: signer.sign(call, { deployment: 'test', createdS: created, nonce: 'abcdefghijklmnop' }) };
}

/**
 * Signed by a second key that says it is the first: it writes its own keyid, and a thief of names writes the other's.
 */
function forged(call: SignedCall, at: Parameters<typeof signer.sign>[1]): Sent {
  const thief = signerOf({ ...keyPairOf('a thief'), publicKey: pair.publicKey });
  return { call, headers: thief.sign(call, at) };
}
