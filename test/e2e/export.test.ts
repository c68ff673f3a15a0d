import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint, ZoneName } from '../../lib/core/ids.ts';
import { aClient } from '../../tools/support/actors.ts';
import { admitEveryone } from '../../tools/support/everyone.ts';
import { eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type HostProcess, startProcess } from '../support/host-process.ts';
import { aProgram, type Program } from '../support/program.ts';

/** Client systems with a daemon each, in a process of their own; the others are driven call by call. */
const daemons = 3;
const systems = 10;

let folder: string;
const programs: Program[] = [];
const hosts: HostProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-moved-'));
});
afterEach(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  for (const host of hosts) host.kill('SIGKILL');
  await Promise.all([...programs.map(({ ended }) => ended), ...hosts.map(({ ended }) => ended)]);
  rmSync(folder, { recursive: true, force: true });
});

const start = (home: string, env: Record<string, string | undefined>): HostProcess => {
  const host = startProcess({ MUSTER_HOME: join(folder, home), ...env });
  hosts.push(host);
  return host;
};
const program = (path: string, ...args: readonly string[]): Program => {
  const started = aProgram(path, args);
  programs.push(started);
  return started;
};

const daemon = (url: string, n: number): Program =>
  program(
    'programs/client/main.ts',
    ...['--endpoint', url, '--fqdn', `web${n}.acme.org`, '--machine-id', `machine-${n}`, '--home', join(folder, `client${n}`)],
  );
const keptToken = (n: number): string | undefined => JSON.parse(readFileSync(join(folder, `client${n}`, 'state.json'), 'utf8')).token;

const listed = async (api: ApiClient, status: 'new' | 'onboarded' | 'orphan'): Promise<Fingerprint[]> => {
  const answer = await api(contract.listSystems, { query: { status } });
  return answer.ok ? answer.body.items.map(({ fp }) => fp as Fingerprint) : [];
};
const upSince = async (api: ApiClient, since: number): Promise<number> => {
  const answer = await api(contract.listNodes, { query: {} });
  return answer.ok ? answer.body.items.filter(({ status, heardAt }) => status === 'up' && Date.parse(heardAt ?? '') > since).length : 0;
};
const epochOf = async (api: ApiClient): Promise<number> => {
  const answer = await api(contract.getZone, { params: { zone: 'default' as ZoneName } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body.epoch;
};
const historyOf = async (api: ApiClient, fp: Fingerprint): Promise<readonly unknown[]> => {
  const answer = await api(contract.history, { params: { kind: 'system', id: fp }, query: {} });
  return answer.ok ? answer.body.items : [];
};

it('a deployment that was killed, exported and imported elsewhere goes on by itself, with its machines and its history', async () => {
  const first = start('first', { MUSTER_DEPLOYMENT: 'acme' });
  const url = await first.url;
  const api = apiAt(url);
  await admitEveryone(url);
  const agents = [1, 2].map((n) =>
    program(
      'programs/agent/main.ts',
      '--endpoint',
      url,
      '--fqdn',
      `node${n}.acme.org`,
      '--home',
      join(folder, `agent${n}`),
      '--kind',
      'salt',
    ),
  );
  await eventually('both nodes are up', async () => (await upSince(api, 0)) === 2, 60_000);
  const running = Array.from({ length: daemons }, (_, n) => daemon(url, n));
  const driven = Array.from({ length: systems - daemons }, (_, n) => aClient(url, `db${n}.acme.org`));
  for (const client of driven) await client.knock();
  await eventually('all have knocked', async () => (await listed(api, 'new')).length === systems, 60_000);
  const accepted = await api(contract.accept, { body: { systems: await listed(api, 'new') } });
  expect(accepted.ok && accepted.body.results.every(({ done }) => done)).toBe(true);
  const settle = async (client: ReturnType<typeof aClient>): Promise<string> => {
    await client.knock();
    const node = await eventually(`${client.fp} is told its node`, async () => {
      const told = await client.orphan();
      return typeof told === 'string' && told.endsWith('.acme.org') && told;
    });
    expect(await client.knock({ confirmed: node })).toBe('1');
    return node;
  };
  const nodes = await Promise.all(driven.map(settle));
  await eventually('all are on their nodes', async () => (await listed(api, 'onboarded')).length === systems, 60_000);
  const history = await historyOf(api, driven[0]!.fp);
  expect(history.length).toBeGreaterThan(1);
  const epoch = await epochOf(api);

  first.kill('SIGKILL');
  await first.ended;
  const file = join(folder, 'acme.ndjson');
  expect(await program('programs/cli/main.ts', 'export', file, '--home', join(folder, 'first')).ended).toBe(0);
  expect(await program('programs/cli/main.ts', 'import', file, '--home', join(folder, 'second')).ended).toBe(0);
  const importedAt = Date.now();

  // Nobody says what it is called: machines sign for the name that came with the file.
  const second = start('second', { MUSTER_DEPLOYMENT: undefined, MUSTER_PORT: new URL(url).port });
  expect(await second.url).toBe(url);
  expect(await epochOf(api)).toBe(epoch + 1);
  await eventually('both nodes are heard again', async () => (await upSince(api, importedAt)) === 2, 60_000);
  // A token of before is as none: what is asked by it alone is answered by the row, and a knock brings a new one.
  expect(await Promise.all(driven.map((client) => client.knock()))).toEqual(driven.map(() => '1'));
  expect(await Promise.all(driven.map((client) => client.status()))).toEqual(driven.map(() => '1'));
  expect((await listed(api, 'onboarded')).length).toBe(systems);
  expect(nodes.every((node) => /^node[12]\.acme\.org$/.test(node))).toBe(true);
  for (const { child } of [...agents, ...running]) expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  expect((await historyOf(api, driven[0]!.fp)).slice(0, history.length)).toEqual(history);
  // A daemon that begins again, as after a reboot, knocks with the token it has, and is given another.
  const token = keptToken(0);
  running[0]!.child.kill('SIGKILL');
  await running[0]!.ended;
  daemon(url, 0);
  await eventually('the daemon has a token of the new epoch', async () => ![undefined, token].includes(keptToken(0)), 60_000);

  const banned = await api(contract.ban, { body: { systems: [driven[0]!.fp] } });
  expect(banned.ok && banned.body.results[0]!.done).toBe(true);
  await eventually('history goes on', async () => (await historyOf(api, driven[0]!.fp)).length > history.length, 30_000);
}, 300_000);
