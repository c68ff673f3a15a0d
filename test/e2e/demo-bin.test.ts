import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import runtimes from '../../bin/runtime.json' with { type: 'json' };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-bin-'));
  cpSync(fileURLToPath(new URL('../../bin', import.meta.url)), join(root, 'bin'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), '{}');
  // What stands in for npm: says what it was called with, installs or fails.
  writeFileSync(
    join(root, 'npm-cli.js'),
    `const fs = require('fs'); fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
     if (process.env.NPM_FAILS) process.exit(7);
     fs.mkdirSync('node_modules', { recursive: true }); fs.writeFileSync('node_modules/.package-lock.json', '{}');`,
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const install = (env: Record<string, string> = {}) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [join(root, 'bin/install.mjs')], {
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(root, 'npm-cli.js'), ...env },
  });
  return { status, said: stderr + stdout };
};
const npmRuns = (): string[] => readFileSync(join(root, 'npm.log'), 'utf8').trim().split('\n');

describe('what installs the dependencies', () => {
  it('runs npm ci when there are none, and then says nothing any more', () => {
    expect(install()).toEqual({ status: 0, said: 'muster: nothing is installed yet: running npm ci\n' });
    expect(npmRuns()).toEqual(['ci --no-audit --no-fund --loglevel=error']);
    expect(install()).toEqual({ status: 0, said: '' });
    expect(npmRuns()).toHaveLength(1);
  });

  it('runs it again when the lock file is newer than what is installed', () => {
    install();
    utimesSync(join(root, 'node_modules/.package-lock.json'), new Date(0), new Date(0));
    expect(install().said).toBe('muster: package-lock.json is newer than what is installed: running npm ci\n');
    expect(npmRuns()).toHaveLength(2);
  });

  it('ends as npm ends when that fails', () => {
    expect(install({ NPM_FAILS: '1' })).toEqual({
      status: 7,
      said: 'muster: nothing is installed yet: running npm ci\nmuster: npm ci failed\n',
    });
  });
});

describe('a Node that is too old', () => {
  const old = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`;
  const platform = `${process.platform}-${process.arch}`;
  const locked = runtimes[platform as 'linux-x64'];

  it.skipIf(locked === undefined)('is told which one npm has left out, at each start', () => {
    const again = `muster: needs Node 24 or newer, and this is ${process.version}: npm did not install ${locked.package}, because its download failed or is not the locked one: run npm ci again\n`;
    const env = { NODE_OPTIONS: `--import ${JSON.stringify(old)}` };
    expect(install(env)).toEqual({ status: 1, said: `muster: nothing is installed yet: running npm ci\n${again}` });
    expect(install(env)).toEqual({ status: 1, said: `muster: Node 24 is not installed: running npm ci\n${again}` });
  });

  it.skipIf(locked === undefined)('starts programs with the locked one', () => {
    install();
    const own = join(root, 'node_modules', locked.package, locked.file);
    mkdirSync(dirname(own), { recursive: true });
    symlinkSync(process.execPath, own);
    mkdirSync(join(root, 'programs/agent'), { recursive: true });
    writeFileSync(join(root, 'programs/agent/main.ts'), 'process.stdout.write(process.argv0);');
    const args = ['--import', old, join(root, 'bin/muster-agent.mjs')];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout).toBe(own);
  });

  it('is told what to do where npm has none', () => {
    writeFileSync(join(root, 'bin/runtime.json'), '{}');
    const said = `muster: needs Node 24 or newer, and this is ${process.version}: npm has no Node for ${platform}: install Node 24 or newer\n`;
    install();
    expect(install({ NODE_OPTIONS: `--import ${JSON.stringify(old)}` })).toEqual({ status: 1, said });
  });
});

describe('two programs that start before anything is installed', () => {
  it('install once: the second waits for the first', async () => {
    const slow = readFileSync(join(root, 'npm-cli.js'), 'utf8').replace(
      "const fs = require('fs');",
      "const fs = require('fs'); const end = Date.now() + 500; while (Date.now() < end);",
    );
    writeFileSync(join(root, 'npm-cli.js'), slow);
    const running = [1, 2].map(() => {
      const child = spawn(process.execPath, [join(root, 'bin/install.mjs')], {
        env: { ...process.env, npm_execpath: join(root, 'npm-cli.js') },
      });
      return new Promise<number | null>((resolve) => child.once('close', resolve));
    });
    expect(await Promise.all(running)).toEqual([0, 0]);
    expect(npmRuns()).toHaveLength(1);
  });

  it('do not wait for one that was killed', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    mkdirSync(join(root, '.muster'));
    writeFileSync(join(root, '.muster/installing'), String(pid));
    expect(install().status).toBe(0);
    expect(npmRuns()).toHaveLength(1);
  });

  it('leave no lock behind when npm fails', () => {
    install({ NPM_FAILS: '1' });
    expect(install().status).toBe(0);
  });

  it('do not empty the folder of somebody else', () => {
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), join(root, 'node_modules'));
    const { status, said } = install();
    expect([status, said]).toEqual([1, expect.stringContaining('node_modules is a link to')]);
    expect(existsSync(join(root, 'npm.log'))).toBe(false);
  });
});

describe('what starts a program', () => {
  const program = (text: string): string => {
    install();
    mkdirSync(join(root, 'programs/agent'), { recursive: true });
    writeFileSync(join(root, 'programs/agent/main.ts'), text);
    return join(root, 'bin/muster-agent.mjs');
  };

  it('hands over the command line, and ends with the exit code of the program', () => {
    const path = program('process.stdout.write(JSON.stringify(process.argv.slice(2)) as string); process.exit(75);');
    const { status, stdout } = spawnSync(process.execPath, [path, 'leave', '--hold'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([75, '["leave","--hold"]']);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('hands %s on', async (signal) => {
    const path = program(`process.on('${signal}', () => process.exit(42)); setInterval(() => {}, 1_000); process.stdout.write('ready');`);
    const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => child.kill(signal));
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(42);
  });
});
