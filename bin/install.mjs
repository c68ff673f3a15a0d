// Installs the project's dependencies where they are missing or older than the lock file; silent when all is there.
// Plain JavaScript for Node 20: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isNodeMissing, node, nodeMajor } from './runtime.mjs';

/** The folder that holds package.json. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const modifiedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs;

/**
 * Why dependencies must be installed; undefined when nothing is missing, or when this is itself an installed package
 * without a lock file.
 */
export function missing() {
  const lockedAt = modifiedAt('package-lock.json');
  if (lockedAt === undefined) return undefined;
  const installedAt = modifiedAt('node_modules/.package-lock.json');
  if (installedAt === undefined) return 'nothing is installed yet';
  if (installedAt < lockedAt) return 'package-lock.json is newer than what is installed';
  return isNodeMissing() ? `Node ${nodeMajor} is not installed` : undefined;
}

/**
 * Runs `npm ci` when something is missing, one program at a time. Ends the process with npm's exit code when that
 * fails, and with 1 when no Node here can run the project: npm drops an optional package without a word when its
 * download fails or is not the locked one.
 */
export function install() {
  if (missing() !== undefined) installMissing();
  node();
}

function installMissing() {
  refuseLink();
  const unlock = lock();
  try {
    // Whoever installed while this one waited has done it for both.
    const why = missing();
    if (why !== undefined) npmCi(why);
  } finally {
    unlock();
  }
}

/** `npm ci` empties the folder that it installs into: where that is a link, the folder of somebody else. */
function refuseLink() {
  const folder = join(root, 'node_modules');
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  process.stderr.write(
    `muster: ${missing()}, and node_modules is a link to ${realpathSync(folder)}: run npm ci there, or remove the link\n`,
  );
  process.exit(1);
}

/** How long to wait for another program that installs: the slowest installation seen took four minutes. */
const waitMs = 15 * 60_000;

/**
 * Waits until nobody else installs here, and gives what ends this turn. The lock names its holder: one of a process
 * that is gone counts for nothing.
 */
function lock() {
  const path = join(root, '.muster/installing');
  // A state folder that others may write to is refused by the host.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const until = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      const unlock = () => rmSync(path, { force: true });
      // Also when npm fails, which ends the process.
      process.once('exit', unlock);
      return unlock;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      rmSync(path, { force: true });
      continue;
    }
    if (isFirst) process.stderr.write(`muster: process ${holder} installs what is missing: waiting for it\n`);
    if (Date.now() > until) {
      process.stderr.write(`muster: process ${holder} has been installing for ${waitMs / 60_000} minutes: end it, or remove ${path}\n`);
      process.exit(1);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

/**
 * Which process holds the lock; undefined when it has just been given up. One that is made and not yet written to is
 * held by 0.
 */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function npmCi(why) {
  process.stderr.write(`muster: ${why}: running npm ci\n`);
  // The engines of some packages name a newer Node than runs this script; the project brings that Node itself.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, [process.env.npm_execpath, ...args]] : ['npm', args];
  const { status, error } = spawnSync(npm[0], npm[1], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32' && npm[0] === 'npm',
  });
  if (status === 0) return;
  process.stderr.write(`muster: npm ci failed${error ? `: ${error.message}` : ''}\n`);
  process.exit(status ?? 1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) install();
