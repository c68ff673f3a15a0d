import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { proofOfRotation } from '../../../lib/identity/rotation-proof.ts';
import { aNodeUp, type TestAgent } from '../../../tools/support/actors.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { type Attack, aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
let node: TestAgent;
let neighbour: TestAgent;
const [web, banned, signer] = [keyPairOf('web1.acme.org'), keyPairOf('banned.acme.org'), keyPairOf('web9.acme.org')];
const minion = minionKeyOf('banned.acme.org');

beforeAll(async () => {
  host = await aStronghold();
  node = await aNodeUp(host.url, 'node1.acme.org');
  neighbour = await aNodeUp(host.url, 'node2.acme.org');
  expect((await knock(web, { fqdn: 'web1.acme.org' })).text).toBe('0');
  const ofMinion = minionOf('banned.acme.org', minion, fingerprintOf(banned.publicKey));
  expect((await knock(banned, { fqdn: 'banned.acme.org', minion: ofMinion })).text).toBe('0');
  await apiAt(host.url)(contract.ban, { body: { systems: [fingerprintOf(banned.publicKey)] } });
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const knock = (by: KeyPair, more: object = {}, at: Attack['at'] = {}) =>
  host.attack({
    at,
    method: 'POST',
    path: '/system/knock',
    body: { publicKey: by.publicKey, fqdn: 'web9.acme.org', machineId: 'machine-9', ...more },
    by,
  });
const join = (by: KeyPair, more: object = {}) =>
  host.attack({
    method: 'POST',
    path: '/nodes/join',
    body: { publicKey: by.publicKey, fqdn: 'node9.acme.org', kind: 'salt', ...more },
    by,
  });
const rotate = (to: Pick<KeyPair, 'publicKey'>, proof: string) =>
  host.attack({ method: 'POST', path: `/nodes/${node.id}/rotate`, body: { publicKey: to.publicKey, proof }, by: node.keys });
/** What each door that takes a public key answers to this one, whoever signed. */
const shown = async (publicKey: string) => [
  told(await knock(signer, { publicKey })),
  told(await join(signer, { publicKey })),
  told(await rotate({ publicKey }, 'A'.repeat(86))),
];
const threeTimes = (...answer: readonly (number | string)[]) => Array(3).fill(answer);
const hex = (bytes: string): string => Buffer.from(bytes, 'hex').toString('base64url');
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }) as string;

describe('attack 12', () => {
  it.each([
    ['all zero', '00'.repeat(32)],
    ['the neutral element', `01${'00'.repeat(31)}`],
    ['of order 2', `ec${'ff'.repeat(30)}7f`],
    ['of order 4, its other sign', `${'00'.repeat(31)}80`],
    ['of order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['of order 8, another', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['not canonical: the prime itself', `ed${'ff'.repeat(30)}7f`],
    ['not canonical: the prime and one', `ee${'ff'.repeat(30)}7f`],
  ])('attack 12: a public key that is %s is refused at every door', async (_what, bytes) => {
    expect(await shown(hex(bytes))).toEqual(threeTimes(422, 'weak-key', '/publicKey'));
  });
});

describe('attack 13', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;

  it.each([
    ['RSA in PEM', pem(rsa)],
    ['RSA as JWK', JSON.stringify(rsa.export({ format: 'jwk' }))],
    ['RSA in DER', rsa.export({ type: 'spki', format: 'der' }).toString('base64url')],
    ['P-256 in PEM', pem(p256)],
    [
      'P-256 as a point',
      Buffer.concat([Buffer.from([4]), p256.export({ type: 'spki', format: 'der' }).subarray(-64)]).toString('base64url'),
    ],
  ])('attack 13: %s is no Ed25519 key, and refused at every door', async (_what, key) => {
    expect((await shown(key)).map((answer) => answer.slice(0, 2))).toEqual(threeTimes(422, 'unsupported-key'));
  });
});

describe('attack 14', () => {
  it('attack 14: a keyid that is not the fingerprint of the key in the body is refused', async () => {
    const mismatch = [422, 'fingerprint-mismatch', '/publicKey'];
    expect(told(await knock(signer, { publicKey: web.publicKey }))).toEqual(mismatch);
    expect(told(await join(signer, { publicKey: node.keys.publicKey }))).toEqual(mismatch);
    const other = createHash('sha256').update('another key').digest('hex');
    const body = { publicKey: signer.publicKey, fqdn: 'web9.acme.org', machineId: 'machine-9' };
    const answer = await host.attack({
      method: 'POST',
      path: '/system/knock',
      body,
      by: signer,
      tamper: (headers) => ({ ...headers, 'signature-input': headers['signature-input']!.replace(/keyid="\w+"/, `keyid="${other}"`) }),
    });
    expect(told(answer)).toEqual(mismatch);
  });
});

describe('attack 15', () => {
  it('attack 15: a key that belongs to another machine is nobody else’s: to join, to knock, or to rotate to', async () => {
    expect(told(await join(web))).toEqual([409, 'key-in-use']);
    expect(told(await knock(node.keys))).toEqual([409, 'key-in-use']);
    // To a client system's door it was one more machine that nobody knows: that is counted for its network address, and
    // nothing else is kept.
    expect(await host.changes()).toEqual([expect.stringMatching(/^source#/)]);
    await host.settle();
    const rotationTo = (to: KeyPair) =>
      proofOfRotation({ deployment: 'local', node: node.id, from: node.keys.publicKey, to: to.publicKey }, to);
    expect(told(await rotate(neighbour.keys, rotationTo(neighbour.keys)))).toEqual([409, 'key-in-use']);
    expect(told(await rotate(web, rotationTo(web)))).toEqual([409, 'key-in-use']);
  });
  it('attack 15: nobody takes a key over whose private half he does not have', async () => {
    const proof = proofOfRotation({ deployment: 'local', node: node.id, from: node.keys.publicKey, to: signer.publicKey }, web);
    expect(told(await rotate(signer, proof))).toEqual([422, 'proof-invalid', '/proof']);
  });
});

describe('attack 16', () => {
  const deleted = (answer: Awaited<ReturnType<typeof knock>>) => ({
    status: answer.status,
    byte: answer.text,
    token: answer.headers['muster-token'],
    next: Number(answer.headers['muster-next']) > 12 * 3600,
  });
  const three = { status: 200, byte: '3', token: undefined, next: true };

  it('attack 16: a banned machine is told that it is, under any name, and nothing is written', async () => {
    expect(deleted(await knock(banned, { fqdn: 'banned.acme.org' }))).toEqual(three);
    expect(deleted(await knock(banned, { fqdn: 'innocent.acme.org', machineId: 'another' }))).toEqual(three);
    // Not even that this call was made is noted: it may be made again.
    const same = { nonce: 'the-nonce-of-a-ban', nowMs: Date.now() };
    for (const _time of [1, 2]) expect(deleted(await knock(banned, {}, same))).toEqual(three);
    const asked = await host.attack({ path: `/system/status?fp=${fingerprintOf(banned.publicKey)}` });
    expect(deleted(asked)).toEqual(three);
  });
  it('attack 16: an onboarding token lets no banned machine in, and loses no use by it', async () => {
    const made = await apiAt(host.url)(contract.createOnboardingToken, { body: {} });
    if (!made.ok) throw new Error(made.problem.detail);
    host.keepSecret(made.body.secret);
    await host.settle();

    expect(deleted(await knock(banned, { token: made.body.secret }))).toEqual(three);
  });
  it('attack 16: another daemon’s key beside the banned minion’s key is the same machine', async () => {
    const fresh = keyPairOf('a fresh key');
    const beside = minionOf('banned.acme.org', minion, fingerprintOf(fresh.publicKey));
    expect(deleted(await knock(fresh, { minion: beside }))).toEqual(three);
  });
});
