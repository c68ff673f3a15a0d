import { beforeEach, expect, it } from 'vitest';
import type { Client } from '../../../lib/clients/client.ts';
import { showFingerprint } from '../../../lib/core/ids.ts';
import { dayMs } from '../../../lib/core/time.ts';
import { fingerprintOf, minionTextFingerprintsOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aDeployment, type Deployment } from '../../support/deployment.ts';

const minion = minionKeyOf('web1');
const [before, after] = [keyPairOf('before'), keyPairOf('after')];
let shell: TestShell;
let deployment: Deployment;
beforeEach(() => {
  shell = aShell();
  deployment = aDeployment(shell);
});

const knocks = (pair: KeyPair) => {
  const { publicKey } = pair;
  const known = { publicKey, fqdn: 'web1.acme.org', machineId: 'machine-1', minion: minionOf('web1', minion, fingerprintOf(publicKey)) };
  return deployment.call('POST', '/system/knock', known, pair);
};
/** Every fingerprint that some version of Salt prints of the minion's key. */
const printed = [minion.fingerprint, ...minionTextFingerprintsOf(minion.publicKey)];
/** Whom these fingerprints of the minion find: each the same. */
const found = async (): Promise<string | undefined> => {
  const all = await Promise.all(printed.map((fp) => deployment.call('GET', `/api/v1/systems/${fp}`)));
  const [first, ...others] = all.map(({ body }) => (JSON.parse(body!) as { fp?: string }).fp);
  expect(others).toEqual([first, first]);
  return first;
};

it("a minion's key finds the machine that has it now, once the one before was forgotten", async () => {
  await knocks(before);
  shell.step(31 * dayMs);

  await knocks(after);

  expect(await found()).toBe(fingerprintOf(after.publicKey));
});

it("a minion's key goes on finding the machine that had it first, while that is known", async () => {
  await knocks(before);
  shell.step(dayMs);

  await knocks(after);

  expect(await found()).toBe(fingerprintOf(before.publicKey));
});

it('an order finds the machine by whichever fingerprints of its minion it names, once', async () => {
  await knocks(before);

  const { body } = await deployment.call('POST', '/api/v1/systems/ban', { systems: printed });

  expect(JSON.parse(body!)).toEqual({ results: [{ fp: fingerprintOf(before.publicKey), done: true, because: 'banned, for ever' }] });
});

it('shows both fingerprints of the minion', async () => {
  await knocks(before);

  const { body } = await deployment.call('GET', `/api/v1/systems/${fingerprintOf(before.publicKey)}`);

  expect(JSON.parse(body!)).toMatchObject({
    minion: { fingerprint: showFingerprint(minion.fingerprint), ofText: showFingerprint(minionTextFingerprintsOf(minion.publicKey)[0]) },
  });
});

it('the row of a version that knew one fingerprint alone stays as it is, until its daemon names its minion anew', async () => {
  await knocks(before);
  const key = keyOf({ noun: 'client', id: fingerprintOf(before.publicKey) });
  const row = (await shell.table.read(key))!;
  const { minion: known, ...body } = row.body as Client;
  const old = { ...body, minion: { id: known!.id, fingerprint: known!.fingerprint } };
  await shell.table.commit([{ put: { ...row, body: old }, readRev: row.rev }]);

  await knocks(before);

  expect((await shell.table.read(key))!.body).toEqual(old);
});
