import { beforeEach, expect, it } from 'vitest';
import { fingerprintOf, minionFingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { dayMs } from '../../../lib/units.ts';
import { aShell, type TestShell } from '../../support/a-shell.ts';
import { aDeployment, type Deployment } from '../../support/deployment.ts';

const minion = '-----BEGIN PUBLIC KEY-----\nQUJD\n-----END PUBLIC KEY-----\n';
const [before, after] = ['D', 'E'].map((letter) => letter.repeat(43)) as [string, string];
let shell: TestShell;
let deployment: Deployment;
beforeEach(() => {
  shell = aShell();
  deployment = aDeployment(shell);
});

const knocks = (publicKey: string) =>
  deployment.call('POST', '/system/knock', {
    publicKey,
    fqdn: 'web1.acme.org',
    machineId: 'machine-1',
    minion: { id: 'web1', publicKey: minion, proof: '' },
  });
/** Whom the minion's fingerprint finds. */
const found = async (): Promise<string | undefined> =>
  (JSON.parse((await deployment.call('GET', `/api/v1/systems/${minionFingerprintOf(minion)}`)).body!) as { fp?: string }).fp;

it("a minion's key finds the machine that has it now, once the one before was forgotten", async () => {
  await knocks(before);
  shell.step(31 * dayMs);

  await knocks(after);

  expect(await found()).toBe(fingerprintOf(after));
});

it("a minion's key goes on finding the machine that had it first, while that is known", async () => {
  await knocks(before);
  shell.step(dayMs);

  await knocks(after);

  expect(await found()).toBe(fingerprintOf(before));
});
