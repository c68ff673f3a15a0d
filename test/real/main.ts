import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from '../../tools/check-deploy/processes.ts';
import { step } from '../../tools/check-deploy/progress.ts';
import { findPython, pythonEnvironment, Unavailable } from '../../tools/check-deploy/python.ts';
import { saltIn } from './salt.ts';
import { story } from './story.ts';

/*
 * `npm run check:real`: the life of a client system with a real Salt. `-- --install` installs the pinned packages into
 * a folder, which is `MUSTER_REAL` or one of the project; without it the check says what is missing.
 */

const requirements = join(import.meta.dirname, 'requirements.txt');
const folder = process.env['MUSTER_REAL'] ?? join(import.meta.dirname, '../../.muster/real');
const programs = ['salt', 'salt-key', 'salt-master', 'salt-minion'];

/** Below the socket paths of Linux (107 bytes), which Salt's names nearly fill. */
const root = mkdtempSync(join(tmpdir(), 'mr-'));
const stops: (() => Promise<void>)[] = [];

/** The folder with the programs of Salt. Throws {@link Unavailable} when some are missing. */
async function saltPrograms(): Promise<string> {
  if (process.argv.includes('--install')) {
    mkdirSync(folder, { recursive: true });
    const system = await findPython(folder);
    await step('a virtual environment with Salt', () => pythonEnvironment(system, folder, requirements));
  }
  const paths = [join(folder, 'venv/bin'), ...(process.env['PATH'] ?? '').split(':')];
  const bin = paths.find((path) => programs.every((name) => existsSync(join(path, name))));
  if (bin !== undefined) return bin;
  const missing = programs.filter((name) => !paths.some((path) => existsSync(join(path, name))));
  throw new Unavailable(
    `${missing.join(', ')} are missing in ${folder} and on the path; npm run check:real -- --install installs Salt there`,
  );
}

async function check(): Promise<void> {
  await story(await saltIn(await saltPrograms(), root), stops);
}

/** Two minutes on an idle machine of two cores; a check that takes longer than this hangs. */
const patienceMs = 12 * 60_000;
const startedAt = performance.now();
let isOver = false;

async function end(code: number, reason: string): Promise<void> {
  if (isOver) return;
  isOver = true;
  for (const stop of stops.reverse()) await stop();
  await stopAll();
  if (code === 1) showLogs();
  rmSync(root, { recursive: true, force: true });
  console.log(`\ncheck:real ${reason} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`);
  process.exit(code);
}

function showLogs(): void {
  const logs = [
    'daemon.log',
    'web1.acme.test/output',
    ...['node1', 'node2', 'node3'].flatMap((node) => ['agent.log', 'output'].map((log) => `${node}.acme.test/${log}`)),
  ];
  for (const log of logs.filter((one) => existsSync(join(root, one))))
    console.log(`\n${log}:\n${readFileSync(join(root, log), 'utf8').split('\n').slice(-40).join('\n')}`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130, 'interrupted'));
setTimeout(() => void end(1, `FAILED: not done after ${patienceMs / 60_000} minutes`), patienceMs).unref();

try {
  await check();
  await end(0, 'passed');
} catch (error) {
  if (error instanceof Unavailable) await end(process.env['CI'] === 'true' ? 1 : 0, `SKIPPED: ${error.message}`);
  console.log(`\n${error instanceof Error ? error.message : String(error)}`);
  await end(1, 'FAILED');
}
