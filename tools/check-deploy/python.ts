import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.ts';
import { NotAsExpected } from './progress.ts';

/** The reason why the check cannot run on this machine. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

const candidates = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];

/** A Python of 3.10 or later that can make virtual environments. Throws {@link Unavailable}. */
export async function findPython(cwd: string): Promise<string> {
  const ask = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2]); sys.exit(0 if sys.version_info >= (3, 10) else 1)';
  for (const python of candidates) {
    const { code } = await run(python, ['-c', ask], { env: process.env, cwd }).catch(() => ({ code: 1 }));
    if (code === 0) return python;
  }
  throw new Unavailable('no Python 3.10 or later with the modules venv and ensurepip was found');
}

/** Throws {@link Unavailable} unless `openssl` is installed: the emulator makes its certificate with it. */
export async function needOpenssl(cwd: string): Promise<void> {
  const { code } = await run('openssl', ['version'], { env: process.env, cwd }).catch(() => ({ code: 1 }));
  if (code !== 0) throw new Unavailable('the program openssl was not found');
}

/**
 * The virtual environment of a folder with the packages that a file pins, made when there is none or the pins have
 * changed. Returns its python.
 */
export async function pythonEnvironment(system: string, folder: string, requirements: string): Promise<string> {
  const venv = join(folder, 'venv');
  const made = join(venv, 'requirements.txt');
  const python = join(venv, 'bin', 'python');
  if (existsSync(made) && readFileSync(made, 'utf8') === readFileSync(requirements, 'utf8')) return python;
  rmSync(venv, { recursive: true, force: true });
  await must(run(system, ['-m', 'venv', venv], { env: process.env, cwd: folder }), 'a virtual environment');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '--requirement', requirements];
  await must(run(python, pip, { env: process.env, cwd: folder }), 'the pinned Python packages to be installed');
  writeFileSync(made, readFileSync(requirements));
  return python;
}

async function must(ended: ReturnType<typeof run>, what: string): Promise<void> {
  const { code, output } = await ended;
  if (code !== 0) throw new NotAsExpected(what, `exit ${code}: ${output.slice(-2_000)}`);
}
