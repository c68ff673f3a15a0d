import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { aNodeUp, type Beating, keepBeating } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aProgram, type Program } from '../support/program.ts';

/** Longer than calls of the boot before may still arrive. */
const apartMs = 5_500;

let muster: TestHost;
let api: ApiClient;
let beating: Beating | undefined;
const folder = mkdtempSync(join(tmpdir(), 'muster-copied-'));
const [first, copy] = ['first', 'copy'].map((name) => join(folder, name)) as [string, string];
const programs: Program[] = [];
beforeAll(async () => {
  muster = await aHost();
  api = apiAt(muster.url);
});
afterAll(async () => {
  for (const { child, ended } of programs) {
    child.kill('SIGTERM');
    await ended;
  }
  await beating?.stop();
  await muster.stop();
  rmSync(folder, { recursive: true });
});

/** A daemon of a machine that was cloned with its name and its machine id, on this folder. */
function daemonIn(home: string): Program {
  const own = ['--fqdn', 'web1.acme.test', '--machine-id', 'machine-1', '--home', home, '--endpoint', muster.url];
  const program = aProgram('programs/client/main.ts', own);
  programs.push(program);
  return program;
}

const identityIn = (home: string): Fingerprint =>
  fingerprintOf((JSON.parse(readFileSync(join(home, 'identity.json'), 'utf8')) as { publicKey: string }).publicKey);
const viewOf = async (fp: Fingerprint) => {
  const answer = await api(contract.getSystem, { params: { fp } });
  return answer.ok ? answer.body : undefined;
};

it('two daemons with one identity.json are found out, settled, and the reinstalled one takes the place of the other', async () => {
  const node = await aNodeUp(muster.url, 'node1.acme.org');
  beating = keepBeating(node, 500);
  const one = daemonIn(first);
  await one.says('fingerprint');
  const fp = identityIn(first);
  await eventually('it waits', async () => (await viewOf(fp))?.status === 'new');
  await api(contract.accept, { body: { systems: [fp], tags: ['web'] } });
  one.child.kill('SIGHUP');
  await one.says('onboarded on node1.acme.org');

  mkdirSync(copy, { mode: 0o700 });
  for (const file of ['identity.json', 'state.json', 'deployment.json']) copyFileSync(join(first, file), join(copy, file));
  await pause(apartMs);
  const other = daemonIn(copy);
  await other.says('fingerprint');
  for (const knocks of [one, other, one]) {
    await pause(apartMs);
    knocks.child.kill('SIGHUP');
  }

  await eventually('they are found out', async () => (await viewOf(fp))?.copied !== undefined, 10_000);
  expect(await viewOf(fp)).toMatchObject({
    status: 'onboarded',
    node: { fqdn: 'node1.acme.org' },
    copied: { because: expect.stringMatching(/^boots \S{12} and \S{12} take turns: two machines run with its key$/) },
  });

  // The copy becomes a machine of its own, which waits: it has the name of the first.
  other.child.kill('SIGTERM');
  await other.ended;
  rmSync(join(copy, 'identity.json'));
  const anew = daemonIn(copy);
  await anew.says('fingerprint');
  const heir = identityIn(copy);
  await eventually('it waits, held', async () => (await viewOf(heir))?.sameName?.held === true);
  const settled = await api(contract.settleSystems, { body: { systems: [fp] } });
  expect(settled.ok && settled.body.results).toMatchObject([{ fp, done: true }]);
  one.child.kill('SIGHUP');
  await pause(1_000);
  expect(await viewOf(fp)).not.toHaveProperty('copied');

  // Or it is the machine, installed anew.
  const replaced = await api(contract.replaceSystem, { params: { fp }, body: { by: heir } });
  expect(replaced.ok && replaced.body.done).toBe(true);
  anew.child.kill('SIGHUP');
  await anew.says('onboarded on node1.acme.org');
  expect(await viewOf(heir)).toMatchObject({ status: 'onboarded', tags: ['web'] });
  one.child.kill('SIGHUP');
  expect(await one.ended).toBe(1);
}, 120_000);
