// Installs the project's dependencies where they are missing or older than the lock file; silent when all is there.
// Plain JavaScript for Node 20: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder that holds package.json. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const modifiedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs;

/** Why dependencies must be installed; undefined when nothing is missing, or when this is itself an installed package without a lock file. */
export function missing() {
  const lockedAt = modifiedAt('package-lock.json');
  if (lockedAt === undefined) return undefined;
  const installedAt = modifiedAt('node_modules/.package-lock.json');
  if (installedAt === undefined) return 'nothing is installed yet';
  return installedAt < lockedAt ? 'package-lock.json is newer than what is installed' : undefined;
}

/** Runs `npm ci` when something is missing. Ends the process with npm's exit code when that fails. */
export function install() {
  const why = missing();
  if (why === undefined) return;
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
