import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Folder, folderAt } from '../../../../../lib/machine/folder.ts';
import type { Apache } from '../../../../../programs/agent/uyuni/cluster-mode/apache.ts';
import { apacheBy } from '../../../../../programs/agent/uyuni/cluster-mode/apache.ts';
import { clusterModeInstall, clusterModeLock } from '../../../../../programs/agent/uyuni/cluster-mode/commands.ts';
import { examine } from '../../../../../programs/agent/uyuni/cluster-mode/examine.ts';
import { install, remove } from '../../../../../programs/agent/uyuni/cluster-mode/install.ts';
import { writeLease } from '../../../../../programs/agent/uyuni/cluster-mode/lease.ts';
import type { InstallGiven } from '../../../../../programs/agent/uyuni/cluster-mode/options.ts';
import { passing } from '../../../../../programs/agent/uyuni/cluster-mode/passing.ts';
import {
  type ClusterMode,
  ClusterUi,
  readClusterMode,
  readEditing,
  writeClusterMode,
} from '../../../../../programs/agent/uyuni/cluster-mode/settings.ts';
import { aClusterMode } from './a-cluster-mode.ts';

let root: string;
let folder: Folder;
let mode: ClusterMode;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-cluster-mode-'));
  folder = folderAt(join(root, 'agent'));
  mode = aClusterMode({ apacheFile: join(root, 'etc/apache2/conf.d/muster-cluster-mode.conf'), state: join(root, 'run'), port: 1 });
  mkdirSync(join(root, 'etc/apache2/conf.d'), { recursive: true });
  writeFileSync(join(root, 'etc/apache2/conf.d/zz-spacewalk-www.conf'), 'ServerTokens Prod\n');
});
afterEach(() => rmSync(root, { recursive: true }));

/** Everything below `etc`: names, modes and content. */
const tree = (): readonly string[] =>
  readdirSync(join(root, 'etc'), { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).mode} ${statSync(path).isFile() ? readFileSync(path, 'utf8') : ''}`)
    .sort();

/** An Apache that accepts and takes up what it is given, unless told otherwise, and remembers how often. */
function anApache(faults: { configtest?: string; reload?: readonly (string | undefined)[] } = {}): Apache & { readonly done: string[] } {
  const done: string[] = [];
  const reloads = [...(faults.reload ?? [])];
  return {
    done,
    configtest: async () => {
      done.push(`configtest ${existsSync(mode.apacheFile)}`);
      return faults.configtest;
    },
    reload: async () => {
      done.push(`reload ${existsSync(mode.apacheFile)}`);
      return reloads.shift();
    },
  };
}

describe('installing cluster mode', () => {
  it('writes a file that root alone reads, checks it, and has Apache take it up; removing it leaves no trace', async () => {
    const before = tree();
    const apache = anApache();
    expect(await install(folder, mode, apache)).toEqual({ is: 'done' });
    expect(statSync(mode.apacheFile).mode & 0o777).toBe(0o600);
    expect(readClusterMode(folder)).toEqual(mode);
    expect(apache.done).toEqual(['configtest true', 'reload true']);
    expect(await install(folder, mode, apache)).toEqual({ is: 'already' });
    clusterModeLock(folder, { home: folder.path, who: 'ada', node: 'uyuni2.acme.test' }, true);
    writeLease(mode, Date.now());

    expect(await remove(folder, mode, apache)).toEqual({ is: 'done' });
    expect(tree()).toEqual(before);
    expect(readdirSync(root).sort()).toEqual(['agent', 'etc']);
    expect(readdirSync(folder.path)).toEqual([]);
    expect(apache.done.slice(2)).toEqual(['configtest false', 'reload false']);
    expect(await remove(folder, mode, apache)).toEqual({ is: 'already' });
  });

  it('puts everything back when Apache refuses the file', async () => {
    const before = tree();
    const apache = anApache({ configtest: 'Syntax error on line 3' });
    expect(await install(folder, mode, apache)).toEqual({ is: 'failed', why: 'Syntax error on line 3' });
    expect(tree()).toEqual(before);
    expect([readClusterMode(folder), existsSync(mode.state)]).toEqual([undefined, false]);
    expect(apache.done).toEqual(['configtest true']);
  });

  it('puts back what was installed before when Apache does not take up the new one', async () => {
    await install(folder, mode, anApache());
    const before = tree();
    const other = { ...mode, port: 2 };
    const apache = anApache({ reload: ['it is not running', undefined] });
    expect(await install(folder, other, apache)).toEqual({ is: 'failed', why: 'it is not running' });
    expect([tree(), readClusterMode(folder)]).toEqual([before, mode]);
    expect(apache.done.at(-1)).toBe('reload true');
    const twice = anApache({ reload: ['it is not running', 'nor now'] });
    expect(await install(folder, other, twice)).toMatchObject({ why: 'it is not running; Apache has not gone back either: nor now' });
  });

  it('touches no file of others, and makes no folder of Apache', async () => {
    writeFileSync(mode.apacheFile, 'ServerName mine\n');
    const before = tree();
    await expect(install(folder, mode, anApache())).rejects.toThrow('was not written by muster-agent');
    await expect(remove(folder, mode, anApache())).rejects.toThrow('was not written by muster-agent');
    expect(tree()).toEqual(before);
    const elsewhere = { ...mode, apacheFile: join(root, 'etc/httpd/muster-cluster-mode.conf') };
    await expect(install(folder, elsewhere, anApache())).rejects.toThrow('name that of Apache’s configuration by --conf-dir');
  });

  it('is refused in a second folder', async () => {
    await install(folder, mode, anApache());
    mkdirSync(join(root, 'etc/other'));
    const moved = { ...mode, apacheFile: join(root, 'etc/other/muster-cluster-mode.conf') };
    await expect(install(folder, moved, anApache())).rejects.toThrow('cluster-mode remove first');
  });

  it('keeps its secret, and leads to Muster’s own page unless that is on this machine', async () => {
    const given = { home: folder.path, confDir: join(root, 'etc/apache2/conf.d'), state: mode.state, port: 1, server: 'https://127.0.0.1' };
    const quiet = { ...given, apachectl: 'true' };
    const newSecret = () => randomBytes(16).toString('hex');
    const installAt = (endpoint: string, options: InstallGiven) => clusterModeInstall(folder, options, { endpoint, newSecret });
    expect(await installAt('http://127.0.0.1:8080', quiet)).toMatchObject({ code: 0 });
    const first = readClusterMode(folder);
    expect(first).toMatchObject({ clusterUi: '/muster/ui/', locksContent: false });
    expect((await installAt('https://muster.acme.test/', { ...quiet, lockContent: true })).talk).toContain('is locked');
    expect(readClusterMode(folder)).toEqual({ ...first, clusterUi: 'https://muster.acme.test/ui/', locksContent: true });
    await installAt('https://muster.acme.test', { ...quiet, clusterUi: 'https://ui.acme.test/' });
    expect(readClusterMode(folder)?.clusterUi).toBe('https://ui.acme.test/');
    expect((await installAt('https://m.test', { ...given, apachectl: 'echo Syntax error; false', port: 9 })).code).toBe(70);
  });

  it('takes no address that a file of Apache would read as more than one', () => {
    const bad = ['', '//evil.test/', 'https://a.test/%2f', 'https://a.test/$1', 'https://a.test/ [P]', 'https://a.test/"', 'javascript:x'];
    for (const address of bad) expect([address, ClusterUi.safeParse(address).success]).toEqual([address, false]);
    for (const address of ['/muster/ui/', 'https://a.test', 'http://[::1]:8080/ui/'])
      expect([address, ClusterUi.safeParse(address).success]).toEqual([address, true]);
  });
});

describe('checking cluster mode', () => {
  const now = Date.UTC(2031, 4, 1, 12);
  const limit = () => new AbortController().signal;
  const isMissing = async (apache = anApache()) =>
    (await examine(readClusterMode(folder), { apache, now, limit })).flatMap(({ check, is }) => (is === 'missing' ? [check] : []));

  it('says what is missing or different', async () => {
    expect(await isMissing()).toEqual(['cluster mode']);
    await install(folder, mode, anApache());
    expect(await isMissing()).toEqual(['agent', 'login']);
    writeLease(mode, now + 1_000);
    expect(await isMissing()).toEqual(['agent']);
    writeFileSync(mode.apacheFile, `${readFileSync(mode.apacheFile, 'utf8')}# mine\n`);
    expect(await isMissing(anApache({ configtest: 'Syntax error' }))).toEqual(['file', 'apache', 'agent']);
    rmSync(mode.apacheFile);
    expect(await isMissing()).toEqual(['file', 'agent']);
  });

  it('says what is locked', async () => {
    writeClusterMode(folder, mode);
    const content = async () =>
      (await examine(readClusterMode(folder), { apache: anApache(), now, limit })).find(({ check }) => check === 'content')?.says;
    expect(await content()).toBe('common content is locked here');
    expect(clusterModeLock(folder, { home: folder.path }, true)).toMatchObject({ code: 0 });
    expect(await content()).toBe('common content is open for editing here');
    clusterModeLock(folder, { home: folder.path, who: 'ada', node: 'uyuni2.acme.test' }, false);
    expect([await content(), readEditing(folder)]).toEqual(['common content is locked here', { who: 'ada', node: 'uyuni2.acme.test' }]);
    writeClusterMode(folder, { ...mode, locksContent: false });
    expect(await content()).toContain('not locked');
    expect(clusterModeLock(folderAt(join(root, 'other')), { home: '' }, true)).toMatchObject({ code: 2 });
  });
});

describe('calls of the agent itself', () => {
  it('have the secret where common content is locked, and on this machine alone', async () => {
    const sent: [string, string | null, string | null][] = [];
    const fetching = passing(async (input, init) => {
      const headers = new Headers(init?.headers);
      sent.push([String(input), headers.get('muster-passed'), headers.get('cookie')]);
      return new Response();
    }, folder);
    const call = () => fetching('http://127.0.0.1/rhn/manager/api/systemgroup/create', { method: 'POST', headers: { cookie: 'a=b' } });
    await call();
    writeClusterMode(folder, mode);
    await call();
    await fetching('https://uyuni2.acme.test/rhn/manager/api/systemgroup/create');
    writeClusterMode(folder, { ...mode, locksContent: false });
    await call();
    expect(sent.map(([, ...headers]) => headers)).toEqual([
      [null, 'a=b'],
      [mode.secret, 'a=b'],
      [null, null],
      [null, 'a=b'],
    ]);
  });
});

describe('the commands of Apache', () => {
  it('are those given, and say what they print when they fail', async () => {
    expect(await apacheBy('true', undefined).configtest()).toBeUndefined();
    expect(await apacheBy('true', 'false').reload()).toBe('false: exit code 1');
    expect(await apacheBy('echo at line 3 >&2; false', undefined).configtest()).toContain('at line 3');
  });
});
