import { beforeEach, expect, it } from 'vitest';
import { dayMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
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
/** Whom the minion's fingerprint finds. */
const found = async (): Promise<string | undefined> =>
  (JSON.parse((await deployment.call('GET', `/api/v1/systems/${minion.fingerprint}`)).body!) as { fp?: string }).fp;

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
