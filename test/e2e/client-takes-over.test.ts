import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { ClientRecord } from '../../programs/client/state.ts';
import { builtGo } from '../../tools/packaging/client/go.ts';
import { aNodeUp, type Beating, keepBeating } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aMinionOf } from '../support/a-minion-host.ts';
import { anExecutable, type Program } from '../support/program.ts';

const main = join(import.meta.dirname, '../../programs/client/main.ts');
const binary = builtGo('muster-client');
type Daemon = { readonly name: string; readonly file: string; readonly words: readonly string[] };
const model: Daemon = { name: 'the model', file: process.execPath, words: [main] };
const inGo: Daemon = { name: 'the daemon in Go', file: binary ?? '', words: [] };

const place = mkdtempSync(join(tmpdir(), 'muster-takes-over-'));
afterAll(() => rmSync(place, { recursive: true }));

const start = ({ file, words }: Daemon, args: readonly string[]): Program => anExecutable(file, [...words, ...args], process.env);
/** A command that ends by itself: its exit code, and what it printed. */
function ran({ file, words }: Daemon, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(file, [...words, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    cwd: place,
  });
  return { status, stdout, stderr };
}

describe.skipIf(binary === undefined)('a folder that the model and the daemon in Go take over from each other', () => {
  let muster: TestHost;
  let api: ApiClient;
  let beating: Beating;
  const programs: Program[] = [];
  const home = join(place, 'home');
  beforeAll(async () => {
    muster = await aHost();
    api = apiAt(muster.url);
    beating = keepBeating(await aNodeUp(muster.url, 'node1.acme.org'), 500);
  });
  afterAll(async () => {
    for (const { child, ended } of programs) {
      child.kill('SIGKILL');
      await ended;
    }
    await beating.stop();
    await muster.stop();
  });
  const daemonOf = (daemon: Daemon): Program => {
    const own = ['--fqdn', 'web1.acme.test', '--machine-id', 'machine-1', '--home', home, '--endpoint', muster.url];
    const program = start(daemon, [...own, '--drive', `echo >> '${join(place, 'driven')}'`]);
    programs.push(program);
    return program;
  };
  const ends = async ({ child, ended }: Program) => {
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  };
  const read = (file: string) => readFileSync(join(home, file), 'utf8');
  const driven = () => readFileSync(join(place, 'driven'), 'utf8').trim().split('\n');

  it('has one key, one state and one lock for both', async () => {
    const first = daemonOf(inGo);
    await first.says('new: waiting to be accepted');
    const identity = read('identity.json');
    const { publicKey } = JSON.parse(identity) as { publicKey: string };
    expect(await daemonOf(model).ended).toBe(75);
    expect(await api(contract.accept, { body: { systems: [fingerprintOf(publicKey)] } })).toMatchObject({ ok: true });
    first.child.kill('SIGHUP');
    await first.says('onboarded on node1.acme.org');
    await ends(first);
    const [state, deployment] = [read('state.json'), read('deployment.json')];
    expect(state).toBe(`${JSON.stringify(ClientRecord.parse(JSON.parse(state)))}\n`);

    const second = daemonOf(model);
    await eventually('it drives the same node again', async () => driven().length === 2);
    await ends(second);
    expect(second.said()).not.toMatch(/failed|assigned|refused|damaged/);
    const before = JSON.parse(state) as Record<string, unknown>;
    expect(JSON.parse(read('state.json'))).toMatchObject({ ...before, token: expect.any(String) });
    expect([read('identity.json'), read('deployment.json')]).toEqual([identity, deployment]);
    expect(driven()).toEqual(['start node1.acme.org', 'start node1.acme.org']);

    const third = daemonOf(model);
    await third.says('the driver has started for node1.acme.org');
    expect(driven().length).toBe(3);
    expect(await daemonOf(inGo).ended).toBe(75);
    for (const daemon of [model, inGo]) expect(ran(daemon, ['status', '--home', home]).stdout).toContain('daemon       runs');
    await ends(third);

    const fourth = daemonOf(inGo);
    await fourth.says('the driver has started for node1.acme.org');
    await ends(fourth);
    expect(driven().length).toBe(4);
    expect(read('identity.json')).toBe(identity);
    const modes = readdirSync(home).map((file) => [file, (statSync(join(home, file)).mode & 0o7777).toString(8)]);
    expect(modes.sort()).toEqual(['deployment.json', 'identity.json', 'lock', 'state.json'].map((file) => [file, '600']));
    expect((statSync(home).mode & 0o7777).toString(8)).toBe('700');
  }, 60_000);

  it.each([['status'], ['status', '--json'], ['fingerprint']])('is shown by both in the same words: %s %s', (...words) => {
    const [one, other] = [model, inGo].map((daemon) => ran(daemon, [...words, '--home', home]));
    expect(one!.status).toBe(0);
    expect(other).toEqual(one);
  });

  it('is shown by both in the same words when what was driven has ended by itself', () => {
    const record = { phase: 'onboarded', token: 'a.b', place: { fqdn: 'node1.acme.org', watch: { host: 'n', port: 1, everyMs: 5 } } };
    const died = { ...record, driven: 'node1.acme.org', died: { times: 2, at: 1_700_000_000_123, why: 'it is <failed> & gone' } };
    writeFileSync(join(home, 'state.json'), `${JSON.stringify(died)}\n`, { mode: 0o600 });
    const [one, other] = [model, inGo].map((daemon) => ran(daemon, ['status', '--json', '--home', home]));
    expect(JSON.parse(one!.stdout)).toMatchObject({ phase: 'onboarded', died: { times: 2, at: '2023-11-14T22:13:20.123Z' } });
    expect(other).toEqual(one);
  });
});

describe.skipIf(binary === undefined)('a folder that others can write to while it is driven from', () => {
  it.each([model, inGo])('ends $name with 74', async (daemon) => {
    const host = aMinionOf('salt-minion');
    let program: Program | undefined;
    try {
      mkdirSync(host.home, { mode: 0o700, recursive: true });
      const record = { phase: 'onboarded', place: { fqdn: 'node2.acme.test' }, driven: 'node2.acme.test' };
      writeFileSync(join(host.home, 'state.json'), `${JSON.stringify(record)}\n`, { mode: 0o600 });
      const opening = join(host.root, 'opening-systemctl');
      const lines = ['#!/bin/sh', `[ "$1" = is-active ] || chmod 777 '${host.home}'`, `exec '${host.systemctl}' "$@"`];
      writeFileSync(opening, lines.join('\n'), { mode: 0o755 });
      const own = ['--fqdn', 'web1.acme.test', '--machine-id', 'machine-1', '--home', host.home, '--endpoint', 'http://127.0.0.1:9'];
      program = start(daemon, [...own, '--driver', 'salt-minion', '--root', host.root, '--systemctl', opening]);
      expect(await program.ended).toBe(74);
      expect(program.said()).toContain(`${host.home} can be written to by others`);
    } finally {
      program?.child.kill('SIGKILL');
      host.remove();
    }
  });
});

describe.skipIf(binary === undefined)('a command line that is refused', () => {
  it.each([
    ['--endpont', 'http://m.test'],
    ['--endpoint', 'm.test:8080'],
    ['--endpoint', 'ftp://m.test'],
    ['--endpoint', 'http://user:secret@m.test'],
    ['--endpoint', 'http://m.test', '--machine-id', 'x', '--fqdn', 'web1.acme.test'],
    ['--endpoint', 'http://127.0.0.1/?a=b', '--machine-id', 'x', '--fqdn', 'web1.acme.test'],
    ['--fqdn', 'web_1'],
    ['--fqdn', 'localhost'],
    ['--fqdn', '10.0.0.1'],
    ['--fqdn'],
    ['--fact', 'novalue'],
    ['--tag', 'two words'],
    ['--zone', 'A'],
    ['--machine-id', ''],
    ['--driver', 'x'],
    ['--driver', 'command'],
    ['--driver', 'auto', '--drive', 'x'],
    ['--driver', 'auto', '--root', '/nowhere'],
    ['--driver', 'auto', '--root', '/nowhere', '--systemctl', '/nowhere/systemctl'],
    ['--token', 'a', '--token-file', 'b'],
    ['--json'],
    ['--toke', 'x'],
    ['--minion', 'x'],
    ['--dirve', 'x'],
    ['--dry-run=yes'],
    ['-x'],
    ['web1'],
    ['drive'],
    ['drive', 'up'],
    ['drive', 'start'],
    ['drive', 'start', 'a.b', 'c.d'],
    ['drive', 'start', 'a_b'],
    ['drive', 'stop'],
    ['status', 'now'],
  ])('is refused by both in the same words: %s %s %s', (...args) => {
    const [one, other] = [model, inGo].map((daemon) => ran(daemon, args));
    expect(one!.status).toBe(2);
    expect(other).toEqual(one);
  });

  it.each([
    [{ MUSTER_ENDPOINT: 'm.test' }, []],
    [{ MUSTER_ENDPOINT: '' }, []],
    [{ MUSTER_ONBOARDING_TOKEN: 'a' }, ['--token-file', 'b']],
    [{ MUSTER_ONBOARDING_TOKEN: '' }, ['--token-file', 'b']],
  ])('is refused by both for what is in the environment: %j %j', (env, args) => {
    const [one, other] = [model, inGo].map((daemon) => ran(daemon, args, env));
    expect(one!.status).toBe(2);
    expect(other).toEqual(one);
  });
});
