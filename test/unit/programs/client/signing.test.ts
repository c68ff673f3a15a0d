import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { minionFingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { faultOfProof } from '../../../../lib/identity/minion-proof.ts';
import { readSignature } from '../../../../lib/identity/signature.ts';
import { Unusable } from '../../../../lib/machine/command-line.ts';
import { type Folder, folderAt } from '../../../../lib/machine/folder.ts';
import { call } from '../../../../programs/client/calls.ts';
import { identityIn, keepSignedForIn, signedForIn } from '../../../../programs/client/identity.ts';
import { minionKeyIn, minionProofOf } from '../../../../programs/client/minion.ts';
import { signedClient } from '../../../../tools/support/signed-client.ts';
import { aFakeMuster, type FakeMuster, type Heard, problem } from '../../../support/fake-muster.ts';

let folder: Folder;
let muster: FakeMuster | undefined;
beforeEach(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'muster-client-')));
});
afterEach(async () => {
  rmSync(folder.path, { recursive: true, force: true });
  await muster?.stop();
});

/** What a knock that arrived claims, read by Muster's own reader. */
const claimIn = ({ headers, text }: Heard, deployment: string) =>
  readSignature(
    { method: 'POST', path: '/system/knock', query: '', body: text, header: (name) => headers[name] as string | undefined },
    { deployment, nowS: Date.now() / 1000 },
  );

describe('the calls of a machine', () => {
  const calling = (url: string) => {
    const identity = identityIn(folder);
    const machine = { fp: identity.fp, publicKey: identity.publicKey, fqdn: 'web1.acme.test', machineId: 'm-1', facts: {}, tags: [] };
    return { api: signedClient(url, identity), machine, isNew: true, signal: new AbortController().signal, random: () => 0.5 };
  };

  it('are signed when they are knocks, for the deployment that says who it is; the others go as they are', async () => {
    muster = await aFakeMuster(({ headers }) =>
      headers['signature-input'] === undefined || String(headers['signature-input']).includes('muster-acme')
        ? { body: '0', headers: { 'content-type': 'text/plain' } }
        : problem('signature-invalid', 401, { 'muster-deployment': 'acme' }),
    );
    const daemon = calling(muster.url);

    expect(await call({ do: 'knock', lost: false }, daemon)).toMatchObject({ type: 'byte', byte: '0' });
    expect(await call({ do: 'knock', lost: false }, daemon)).toMatchObject({ type: 'byte', byte: '0' });
    await call({ do: 'status' }, daemon);

    const [first, again, second, status] = muster.heard as [Heard, Heard, Heard, Heard];
    expect(muster.heard).toHaveLength(4);
    expect(claimIn(first, 'acme').ok).toBe(false);
    for (const one of [again, second]) expect(claimIn(one, 'acme')).toMatchObject({ ok: true, claim: { keyId: daemon.machine.fp } });
    expect(status.headers).not.toHaveProperty('signature');
  });

  it('are refused in plain words when the signature is not taken', async () => {
    muster = await aFakeMuster(() => problem('key-in-use', 409));
    expect(await call({ do: 'knock', lost: false }, calling(muster.url))).toMatchObject({
      type: 'failed',
      why: 'knock was refused (key-in-use): it is key-in-use; this key belongs to a node; remove identity.json, and the machine makes a key of its own',
    });
  });

  it('are followed by a knock where only a token that holds is answered', async () => {
    muster = await aFakeMuster(() => problem('signature-missing', 401, { 'retry-after': '5' }));
    const heard = await call({ do: 'status', token: 'old' }, calling(muster.url));
    expect(heard).toMatchObject({ type: 'failed', unknown: true, retryAfterMs: 5_000 });
  });

  it('name the boot of the daemon, in the signed knock and in the header of the others; one without a boot names none', async () => {
    muster = await aFakeMuster(() => ({ body: '0', headers: { 'content-type': 'text/plain' } }));
    const daemon = calling(muster.url);
    const named = { ...daemon, machine: { ...daemon.machine, boot: 'a-boot-of-it' } };

    for (const one of [daemon, named]) {
      await call({ do: 'knock', lost: false }, one);
      await call({ do: 'status', token: 't1' }, one);
      await call({ do: 'orphan', token: 't1' }, one);
    }

    expect(muster.heard.map(({ headers, text }) => (text ? (JSON.parse(text) as { boot?: string }).boot : headers['muster-boot']))).toEqual(
      [...[undefined, undefined, undefined], ...['a-boot-of-it', 'a-boot-of-it', 'a-boot-of-it']],
    );
  });

  it('bring an onboarding token only until the machine is accepted', async () => {
    muster = await aFakeMuster(() => ({ body: '0', headers: { 'content-type': 'text/plain' } }));
    const daemon = calling(muster.url);
    const machine = { ...daemon.machine, onboardingToken: 'mot_secret' };
    for (const isNew of [true, false]) await call({ do: 'knock', lost: false }, { ...daemon, machine, isNew });
    expect(muster.heard.map(({ body }) => (body as { token?: string }).token)).toEqual(['mot_secret', undefined]);
  });
});

describe('what a machine knows of its deployment', () => {
  it('outlives the daemon, for the endpoint that it was learned at, in a file of its own user alone', () => {
    expect(signedForIn(folder, 'http://a.test')).toEqual({ clockAheadMs: 0 });
    keepSignedForIn(folder, 'http://a.test', { deployment: 'acme', clockAheadMs: -600_000 });

    expect(signedForIn(folder, 'http://a.test')).toEqual({ deployment: 'acme', clockAheadMs: -600_000 });
    expect(signedForIn(folder, 'http://b.test')).toEqual({ clockAheadMs: 0 });
    expect(statSync(join(folder.path, 'deployment.json')).mode & 0o777).toBe(0o600);
    folder.write('deployment.json', '{');
    expect(signedForIn(folder, 'http://a.test')).toEqual({ clockAheadMs: 0 });
  });
});

describe('the minion’s key beside a daemon', () => {
  const pemFile = () => join(folder.path, 'minion.pem');
  const written = (privateKey: string, publicKey?: string) => {
    writeFileSync(pemFile(), privateKey);
    if (publicKey !== undefined) writeFileSync(join(folder.path, 'minion.pub'), publicKey);
    return minionKeyIn(pemFile())!;
  };
  const rsa = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });

  it('proves that it is there, by its own signature over the daemon’s fingerprint', () => {
    const { fp } = identityIn(folder);
    const key = written(rsa.privateKey);
    const { id, ...proof } = minionProofOf('web1', key, fp);
    expect([id, faultOfProof(proof, fp)]).toEqual(['web1', undefined]);
  });

  it('has the fingerprint that Salt shows of the file beside it', () => {
    expect(written(rsa.privateKey, rsa.publicKey.trimEnd()).fingerprint).toBe(minionFingerprintOf(rsa.publicKey));
    // The public half of another key is not this one's.
    const other = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    expect(written(rsa.privateKey, other.publicKey).fingerprint).toBe(minionFingerprintOf(rsa.publicKey));
  });

  it.each(['minion.key', 'minion', 'pem'])('is never told, whatever its file is called: %s', (name) => {
    const file = join(folder.path, name);
    writeFileSync(file, rsa.privateKey);
    expect(minionKeyIn(file)?.publicKey).toBe(rsa.publicKey);
    writeFileSync(`${file}.pub`, rsa.privateKey);
    expect(minionKeyIn(file)?.publicKey).toBe(rsa.publicKey);
  });

  it('may be missing, and is a fault when it is no key', () => {
    expect(minionKeyIn(join(folder.path, 'nowhere.pem'))).toBeUndefined();
    writeFileSync(pemFile(), 'no key');
    expect(() => minionKeyIn(pemFile())).toThrow(Unusable);
  });
});
