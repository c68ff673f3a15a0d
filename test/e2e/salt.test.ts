import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aMinionOf, type MinionHost } from '../support/a-minion-host.ts';
import { aSaltMaster, type SaltMaster } from '../support/a-salt-master.ts';
import { aProgram, type Program } from '../support/program.ts';

let muster: TestHost;
let api: ApiClient;
let master: SaltMaster;
let machine: MinionHost;
const programs: Program[] = [];
const listening = createServer((socket) => socket.destroy());
beforeAll(async () => {
  muster = await aHost({ beatMinMs: 250 });
  api = apiAt(muster.url);
  master = aSaltMaster();
  machine = aMinionOf('venv-salt-minion', 'before.acme.test');
});
afterAll(async () => {
  for (const { child, ended } of programs) {
    child.kill('SIGTERM');
    await ended;
  }
  listening.close();
  await muster.stop();
  master.remove();
  machine.remove();
});

const run = (path: string, ...args: string[]): Program => {
  const program = aProgram(path, [...args, '--endpoint', muster.url]);
  programs.push(program);
  return program;
};
/** In how many seconds Muster would have the machine call again. */
const nextS = async (fp: Fingerprint): Promise<number> =>
  Number((await fetch(`${muster.url}/system/status?fp=${fp}`)).headers.get('muster-next'));
const systemOf = async (fp: Fingerprint) => {
  const answer = await api(contract.getSystem, { params: { fp } });
  return answer.ok ? answer.body : undefined;
};

/** A node's agent beside a Salt master, which listens where client systems see that it lives. */
async function aNode(): Promise<Program> {
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const hook = join(master.home, 'hook');
  mkdirSync(master.home, { recursive: true });
  writeFileSync(hook, `cat >> '${join(master.home, 'applied')}'\n`);
  const source = ['--watch-source', `salt-master:${master.root}`, '--manage-keys', '--salt-key', master.saltKey];
  const own = ['--fqdn', 'node1.acme.test', '--home', master.home, '--watch', `127.0.0.1:${(listening.address() as AddressInfo).port}`];
  return run('programs/agent/main.ts', ...own, ...source, '--metadata-hook', `sh '${hook}'`);
}

/** A machine with a minion of its own, and its daemon. */
function aDaemon(): Program {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pki = 'etc/venv-salt-minion/pki/minion';
  machine.put(`${pki}/minion.pem`, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, 0o400);
  machine.put(`${pki}/minion.pub`, publicKey.export({ type: 'spki', format: 'pem' }) as string);
  machine.put('etc/venv-salt-minion/minion_id', 'web1.acme.test\n');
  const own = ['--fqdn', 'web1.acme.test', '--machine-id', 'machine-1', '--home', machine.home];
  return run('programs/client/main.ts', ...own, '--driver', 'auto', '--root', machine.root, '--systemctl', machine.systemctl);
}

it('a machine with a minion is moved to a node, whose master accepts its key, sees it, and applies its metadata', async () => {
  const agent = await aNode();
  await agent.says('acknowledged');
  const daemon = aDaemon();
  await daemon.says('fingerprint');
  const fp = /fingerprint ([0-9a-f:]+)/.exec(daemon.said())![1]!.replaceAll(':', '') as Fingerprint;
  await eventually('it waits in the pool', async () => (await systemOf(fp))?.status === 'new');
  expect(machine.calls()).toEqual([]);

  await api(contract.accept, { body: { systems: [fp] } });
  await daemon.says('venv-salt-minion works for node1.acme.test');
  expect(machine.read('etc/venv-salt-minion/minion.d/susemanager.conf')).toContain('\nmaster: node1.acme.test\n');
  expect(machine.calls()).toEqual(['stop venv-salt-minion.service', 'start venv-salt-minion.service']);

  // What its minion does when it starts.
  writeFileSync(
    join(master.root, 'etc/salt/pki/master/minions_pre/web1.acme.test'),
    machine.read('etc/venv-salt-minion/pki/minion/minion.pub'),
  );
  await agent.says('accept the key of web1.acme.test');
  await eventually('the key is accepted', async () => master.keys()['minions']?.includes('web1.acme.test') === true);
  // Salt's minion ends by itself when a master has rejected its key.
  machine.setState('venv-salt-minion.service', 'inactive');
  await eventually('its node sees it: it may rest for six hours', async () => (await nextS(fp)) > 5 * 3600, 40_000);
  await agent.says('applied the metadata of web1.acme.test');
  expect(readFileSync(join(master.home, 'applied'), 'utf8')).toBe(
    `{"fingerprint":"${fp}","minion":"web1.acme.test","revision":0,"metadata":{}}\n`,
  );

  await daemon.says('the driven software ended by itself (venv-salt-minion.service is inactive); starting it again', 60_000);
  await eventually('its minion is up again', async () => machine.state('venv-salt-minion.service') === 'active');
  expect(JSON.parse(machine.read('../home/state.json'))).toMatchObject({ phase: 'onboarded', died: { times: 1 } });

  await api(contract.ban, { body: { systems: [fp] } });
  daemon.child.kill('SIGHUP');
  expect(await daemon.ended).toBe(1);
  expect(machine.state('venv-salt-minion.service')).toBe('inactive');
}, 120_000);
