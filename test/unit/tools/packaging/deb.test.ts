import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../../../lib/machine/command-line.ts';
import { deb } from '../../../../tools/packaging/deb.ts';
import { architectureOf } from '../../../../tools/packaging/one-file.ts';
import { packageOf } from '../../../../tools/packaging/package.ts';
import { agent } from '../../../../tools/packaging/programs.ts';
import { tar } from '../../../../tools/packaging/tar.ts';
import { members } from '../../../support/ar.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-deb-'));
});
afterEach(() => rmSync(place, { recursive: true }));

const atS = Date.parse('2031-05-01T12:00:00Z') / 1000;
const executable = Buffer.from('#!/bin/sh\necho here\n');
const aDeb = (): Buffer => deb(packageOf(agent, { executable, version: '1.2.3', architecture: 'amd64' }), atS);
/** What a tool of this machine prints. */
const printed = (command: string, args: readonly string[], input?: Uint8Array): string =>
  execFileSync(command, args, { encoding: 'utf8', input, env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } });
const has = (command: string): boolean => spawnSync(command, ['--version']).status === 0;

describe('a package', () => {
  it('is an archive of three members, of which tar reads two', () => {
    const found = members(aDeb());
    expect([...found.keys()]).toEqual(['debian-binary', 'control.tar.gz', 'data.tar.gz']);
    expect(found.get('debian-binary')?.toString()).toBe('2.0\n');
    const listed = printed('tar', ['tvf', '-'], gunzipSync(found.get('data.tar.gz')!))
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/))
      .map(([mode, owner, , , , path]) => `${mode} ${owner} ${path}`);
    expect(listed).toEqual([
      'drwxr-xr-x root/root ./',
      'drwxr-xr-x root/root ./etc/',
      'drwxr-xr-x root/root ./etc/muster/',
      'drwxr-xr-x root/root ./usr/',
      'drwxr-xr-x root/root ./usr/bin/',
      'drwxr-xr-x root/root ./usr/lib/',
      'drwxr-xr-x root/root ./usr/lib/systemd/',
      'drwxr-xr-x root/root ./usr/lib/systemd/system/',
      'drwxr-xr-x root/root ./usr/share/',
      'drwxr-xr-x root/root ./usr/share/doc/',
      'drwxr-xr-x root/root ./usr/share/doc/muster-agent/',
      '-rwxr-xr-x root/root ./usr/bin/muster-agent',
      '-rw-r--r-- root/root ./usr/lib/systemd/system/muster-agent.service',
      '-rw-r--r-- root/root ./etc/muster/agent.conf',
      '-rw-r--r-- root/root ./usr/share/doc/muster-agent/copyright',
    ]);
    expect(printed('tar', ['xOf', '-', './conffiles'], gunzipSync(found.get('control.tar.gz')!))).toBe('/etc/muster/agent.conf\n');
  });

  it('is the same, byte for byte, whenever it is built for one moment', () => {
    expect(aDeb().equals(aDeb())).toBe(true);
  });

  it.skipIf(!has('dpkg-deb'))('says of itself what dpkg asks', () => {
    const file = join(place, 'agent.deb');
    writeFileSync(file, aDeb());
    expect(printed('dpkg-deb', ['--field', file])).toBe(
      [
        'Package: muster-agent',
        'Version: 1.2.3',
        'Architecture: amd64',
        'Maintainer: The Muster project',
        'Section: admin',
        'Priority: optional',
        'Depends: libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 8)',
        'Installed-Size: 4',
        'Description: node agent of the Muster cluster control plane',
        ' Makes this host a node of Muster and keeps it one: one executable that',
        ' needs no Node.js on the host.',
        '',
      ].join('\n'),
    );
    printed('dpkg-deb', ['--extract', file, place]);
    expect(printed(join(place, 'usr/bin/muster-agent'), [])).toBe('here\n');
    const sums = printed('dpkg-deb', ['--info', file, 'md5sums']);
    expect(sums.split('\n')).toHaveLength(4);
    execFileSync('md5sum', ['--check', '--status'], { cwd: place, input: sums });
  });

  // dpkg gives files to root, which nobody else may.
  it.skipIf(!has('dpkg') || !has('systemctl') || process.getuid?.() !== 0)(
    'is installed, upgraded, removed and purged; what an operator has said stays until then',
    () => {
      const [root, file] = [join(place, 'root'), join(place, 'agent.deb')];
      mkdirSync(join(root, 'var/lib/dpkg/info'), { recursive: true });
      mkdirSync(join(root, 'var/lib/dpkg/updates'));
      writeFileSync(join(root, 'var/lib/dpkg/status'), '');
      writeFileSync(file, aDeb());
      const how = [`--root=${root}`, '--force-script-chrootless', '--force-depends', `--log=${place}/log`];
      const dpkg = (...args: string[]): void => void execFileSync('dpkg', [...how, ...args], { stdio: 'pipe' });
      const wanted = join(root, 'etc/systemd/system/multi-user.target.wants/muster-agent.service');
      const configuration = join(root, 'etc/muster/agent.conf');
      const isEnabled = (): boolean => readdirSync(join(wanted, '..')).includes('muster-agent.service');

      dpkg('--install', file);
      expect(isEnabled()).toBe(true);
      rmSync(wanted);
      writeFileSync(configuration, 'zone = berlin\n');
      dpkg('--install', file);
      expect(isEnabled()).toBe(false);
      expect(readFileSync(configuration, 'utf8')).toBe('zone = berlin\n');

      writeFileSync(wanted, '');
      dpkg('--remove', 'muster-agent');
      expect(existsSync(join(root, 'usr/bin/muster-agent'))).toBe(false);
      expect([isEnabled(), existsSync(configuration)]).toEqual([true, true]);
      dpkg('--purge', 'muster-agent');
      expect([isEnabled(), existsSync(configuration)]).toEqual([false, false]);
    },
  );

  it.each([
    ['postinst', 'configure', ''],
    ['postinst', 'configure', '1.0.0'],
    ['prerm', 'remove', ''],
    ['postrm', 'purge', ''],
  ])('has a %s that does nothing where there is no systemd (%s, of %j)', (script, ...args) => {
    const { scripts } = packageOf(agent, { executable, version: '1', architecture: 'amd64' });
    symlinkSync('/bin/rm', join(place, 'rm'));
    const env = { PATH: place, DPKG_ROOT: place };
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', scripts[script]!, script, ...args], { env, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe('its unit', () => {
  it('never restarts an agent that has left, was sent away, or was called wrongly', () => {
    const unit = packageOf(agent, { executable, version: '1', architecture: 'amd64' }).files[1]!.content.toString();
    expect(unit).toContain('\nRestart=on-failure\n');
    expect(unit).toContain(`\nRestartPreventExitStatus=${exitCodes.unwanted} ${exitCodes.usage}\n`);
    expect(unit).toContain(`\nStateDirectory=${agent.builtIn.home?.replace('/var/lib/', '')}\n`);
  });
});

describe('an archive', () => {
  it('is read by tar as it was written, whatever its files hold', () => {
    const files = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,20}$/), fc.uint8Array({ maxLength: 1_100 })), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(files, (all) => {
        const archive = tar(
          all.map(([path, content]) => ({ path, mode: 0o640, content })),
          atS,
        );
        for (const [path, content] of all)
          expect(execFileSync('tar', ['xOf', '-', path], { input: archive }).equals(Buffer.from(content))).toBe(true);
        expect(archive.length % 512).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  it('refuses a name that would be cut off', () => {
    expect(() => tar([{ path: 'x'.repeat(101), mode: 0o644 }], atS)).toThrow('longer than an archive takes');
  });
});

describe('the machine that builds', () => {
  it('is a Linux of an architecture that node is made for', () => {
    expect(architectureOf({ platform: 'linux', arch: 'x64' })).toBe('amd64');
    expect(architectureOf({ platform: 'linux', arch: 'arm64' })).toBe('arm64');
    for (const platform of ['darwin', 'win32'])
      expect(() => architectureOf({ platform, arch: 'arm64' })).toThrow(`is built on Linux, for Linux: this is ${platform}`);
    expect(() => architectureOf({ platform: 'linux', arch: 'ia32' })).toThrow('is built for x64 and arm64: this is ia32');
  });
});
