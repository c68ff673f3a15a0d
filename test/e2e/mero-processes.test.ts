import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { write } from '../../lib/core/decision.ts';
import { Conflict } from '../../lib/core/errors.ts';
import type { Fid } from '../../lib/core/fid.ts';
import type { StorageCluster } from '../../lib/mero/clusters/cluster.ts';
import { configurationText, type EnvironmentVariable } from '../../lib/mero/facts/configuration.ts';
import { meroNodeId } from '../../lib/mero/nodes/mero-node.ts';
import { type MeroProcess, processId } from '../../lib/mero/processes/process.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { livesOf } from '../../programs/agent/processes/born.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { nodeFqdn } from '../../tools/support/builders.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aSystemctl } from '../support/a-systemctl.ts';
import { aProcess, hostsOf, processFid, processTypes, storageZone } from '../support/mero.ts';
import { aProgram, type Program } from '../support/program.ts';

/*
 * The processes of a storage cluster on a host, from what is wanted of them down to what runs there: an embedded host,
 * the agent as a program, and processes that really run, as its children.
 */

const [confd, ios, app] = [1, 2, 3].map((n) => processFid(n)) as [Fid, Fid, Fid];
const lives = livesOf('any boot');

let host: TestHost;
let place: string;
let token: string;
let agents: Program[];
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-mero-'));
  // It says where it was started, and ends by itself before long, whatever becomes of its test.
  writeFileSync(join(place, 'm0d.mjs'), `console.log('ready'); setTimeout(() => {}, 60_000);`);
  agents = [];
  const api = apiAt(host.url);
  const made = await api(contract.createZone, { body: { name: storageZone, kind: 'storage' } });
  const minted = await api(contract.createNodeToken, { body: { nodes: nodeFqdn(1), kind: 'storage', zone: storageZone } });
  if (!made.ok || !minted.ok) throw new Error('the zone has not begun');
  token = minted.body.secret;
});
afterEach(async () => {
  for (const { child } of agents) child.kill('SIGKILL');
  await Promise.all(agents.map(({ ended }) => ended));
  for (const { pid } of running()) if (lives.of(pid)) process.kill(-pid, 'SIGKILL');
  await host.stop();
  rmSync(place, { recursive: true });
});

const home = () => join(place, 'agent');
const own = () => ['--home', home(), '--endpoint', host.url];
const asChildren = () => ['--processes', 'child', '--run', `m0d=${process.execPath} ${join(place, 'm0d.mjs')}`, '--ready-line', 'ready'];
async function anAgent(run = asChildren(), env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const [port] = await freePorts(1);
  const how = [...run, '--service-user', userInfo().username, '--sysconfig', join(place, 'sysconfig')];
  const who = ['--fqdn', nodeFqdn(1), '--kind', 'storage', '--zone', storageZone, '--watch', `127.0.0.1:${port}`];
  const program = aProgram('programs/agent/main.ts', [...own(), '--token', token, ...who, ...how], env);
  agents.push(program);
  return program;
}
/** What `muster-agent process …` says, and its exit code. */
async function ask(...args: string[]): Promise<{ code: number | string; said: string }> {
  const program = aProgram('programs/agent/main.ts', ['process', ...args, ...own()]);
  return { code: await program.ended, said: program.said() };
}

const row = async (fid: Fid): Promise<MeroProcess> =>
  (await host.shell.table.read(keyOf({ noun: 'process', id: processId({ zone: storageZone, fid }) })))!.body as MeroProcess;
const becomes = (fid: Fid, is: MeroProcess['state']['is'], but?: number): Promise<MeroProcess> =>
  eventually(
    `${fid} is ${is}`,
    async () => {
      const now = await row(fid);
      return now.state.is === is && (but === undefined || now.running?.pid !== but) && now;
    },
    25_000,
  );
/** What runs of those that the agent started, by the files that they wrote. */
const running = (): { pid: number }[] => {
  const folder = join(home(), 'processes');
  if (!existsSync(folder)) return [];
  const pids = readdirSync(folder).filter((name) => name.endsWith('.pid'));
  return pids.flatMap((name) => lives.in(readFileSync(join(folder, name), 'utf8')) ?? []).filter((life) => lives.isOn(life));
};
/**
 * The whole cluster is wanted to run up to this level, as when an operator starts or stops it; plans that write the
 * same row meanwhile are waited for.
 */
async function level(to: number): Promise<void> {
  const ref = { noun: 'cluster', id: storageZone };
  const { table, now } = host.shell;
  await eventually('the level is written', async () => {
    const row = (await table.read(keyOf(ref)))!;
    const cluster = row.body as StorageCluster;
    const body = { ...cluster, disposition: to < 0 ? 'OFFLINE' : 'ONLINE', level: to, levelSince: now(), goals: cluster.goals + 1 };
    const put = contentOf(ref, row, write<unknown, never>(body, 'a test says so'), { by: 'test', at: now(), exact: true })!;
    return table.commit([{ put, readRev: row.rev }]).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
        return false;
      },
    );
  });
}
/** The rows of what is to run on the host. */
async function have(...processes: MeroProcess[]): Promise<void> {
  const { table, now } = host.shell;
  const rows = [
    ...hostsOf(processes).map((body) => ({ ref: { noun: 'mero-node', id: meroNodeId(body) }, body })),
    ...processes.map((body) => ({ ref: { noun: 'process', id: processId(body) }, body })),
  ];
  for (const { ref, body } of rows) {
    const put = contentOf(ref, undefined, write<unknown, never>(body, 'a test says so'), { by: 'test', at: now(), exact: true })!;
    await table.commit([{ put, readRev: 0 }]);
  }
}

describe('the processes of a host', () => {
  it('run as their cluster wants them to, outlive their agent, are started again when they fail, and stop', async () => {
    const environment = [{ name: 'MERO_NOTE', value: "it's ours" }];
    await have(aProcess({ n: 1, type: processTypes.confd, environment }), aProcess({ n: 2 }));
    const first = await anAgent();
    await first.says('acknowledged');

    await level(1);
    const online = await Promise.all([confd, ios].map((fid) => becomes(fid, 'online')));
    const pids = online.map((one) => one.running!.pid);
    expect(
      running()
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([...pids].sort());
    const file = readFileSync(join(place, 'sysconfig', `m0d-${confd}`), 'utf8');
    expect(file).toContain(`MERO_PROCESS_FID='${confd}'\n`);
    expect(file).toContain(`MERO_NOTE='it'\\''s ours'\n`);

    first.child.kill('SIGKILL');
    await first.ended;
    const second = await anAgent();
    await second.says('acknowledged');
    await host.settled();
    expect(await Promise.all([confd, ios].map(async (fid) => (await row(fid)).running?.pid))).toEqual(pids);
    expect(await Promise.all([confd, ios].map(async (fid) => (await row(fid)).state.is))).toEqual(['online', 'online']);
    expect(second.said()).not.toContain('started m0d');

    process.kill(-pids[1]!, 'SIGKILL');
    const again = await becomes(ios, 'online', pids[1]);
    expect(again.start).toBe(1);
    expect((await row(confd)).running?.pid).toBe(pids[0]);

    await level(-1);
    await Promise.all([confd, ios].map((fid) => becomes(fid, 'offline')));
    expect(running()).toEqual([]);
  }, 90_000);

  it('are units of systemd on a host of a storage cluster, unless it is said', async () => {
    const units = aSystemctl(join(place, 'bin'));
    const unit = (fid: Fid) => join(units, `m0d@${fid}.service`);
    const pidOf = (fid: Fid) => Number(readFileSync(unit(fid), 'utf8'));
    await have(aProcess({ n: 1, type: processTypes.confd }));
    const agent = await anAgent([], { PATH: `${join(place, 'bin')}:${process.env['PATH']}` });
    await agent.says('acknowledged');

    await level(0);
    expect((await becomes(confd, 'online')).running?.pid).toBe(pidOf(confd));
    const before = pidOf(confd);
    process.kill(before, 'SIGKILL');
    expect((await becomes(confd, 'online', before)).running?.pid).toBe(pidOf(confd));
    expect(pidOf(confd)).not.toBe(before);
    await level(-1);
    await becomes(confd, 'offline');
    expect(lives.of(pidOf(confd))).toBeUndefined();
  }, 90_000);

  it('that Muster does not start are told by their launchers, and found to have ended', async () => {
    await have(aProcess({ n: 1, type: processTypes.confd }), aProcess({ n: 3, type: processTypes.app }));
    const agent = await anAgent();
    await agent.says('acknowledged');
    await level(-1);
    await eventually('they are heard of', async () => (await ask('list')).said.includes('clovis-app'));

    const launched = spawn(process.execPath, [join(place, 'm0d.mjs')], { stdio: 'ignore' });
    const pid = String(launched.pid);
    expect(await ask('report', app, 'STARTED', '--pid', pid)).toEqual({ code: 0, said: '' });
    expect((await becomes(app, 'online')).running).toEqual({ pid: launched.pid, born: expect.stringMatching(/^[0-9a-f]{8}\.\d+$/) });
    expect((await ask('list')).said).toMatch(new RegExp(`${app}  clovis-app  watch  online +${pid} `));
    launched.kill('SIGKILL');
    await becomes(app, 'offline');

    expect(await ask('report', app, 'STARTED', '--pid', pid)).toMatchObject({
      code: 2,
      said: expect.stringContaining('nothing runs under pid'),
    });
    expect(await ask('report', confd, 'STOPPED')).toMatchObject({
      code: 2,
      said: expect.stringContaining('Muster starts and stops'),
    });
    expect(await ask('report', processFid(9), 'STOPPED')).toMatchObject({
      code: 2,
      said: expect.stringContaining('not a process of this host'),
    });
    agent.child.kill('SIGKILL');
    await agent.ended;
    expect(await ask('report', app, 'STOPPED')).toMatchObject({ code: 69, said: expect.stringContaining('no agent runs') });
  }, 60_000);

  it('are asked by their host what they are told, under its own identity', async () => {
    await have(aProcess({ n: 1, type: processTypes.confd }), aProcess({ n: 2, host: nodeFqdn(2) }));
    expect(await ask('configuration', confd)).toMatchObject({ code: 2, said: expect.stringContaining('no node that has joined') });
    const agent = await anAgent();
    await agent.says('acknowledged');
    const { code, said } = await ask('configuration', confd);
    expect([code, said]).toEqual([0, expect.stringContaining(`MERO_PROCESS_FID='${confd}'\n`)]);
    const json = JSON.parse((await ask('configuration', confd, '--json')).said) as { environment: EnvironmentVariable[] };
    expect(json).toMatchObject({ process: confd, file: `/etc/sysconfig/m0d-${confd}` });
    expect(configurationText(json.environment)).toBe(said);
    const file = join(place, 'confd');
    expect(await ask('configuration', confd, '-o', file)).toEqual({ code: 0, said: '' });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o007]).toEqual([said, 0]);
    expect(await ask('configuration', ios)).toMatchObject({ code: 2, said: expect.stringContaining('not-owner') });
    expect(await ask('configuration', processFid(9))).toMatchObject({ code: 2, said: expect.stringContaining('unknown-process') });
  }, 60_000);
});
