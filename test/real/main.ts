import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { step } from '../../tools/check-deploy/progress.ts';
import { findPython, pythonEnvironment, Unavailable } from '../../tools/check-deploy/python.ts';
import { playCheck } from './check.ts';
import { saltIn } from './salt.ts';
import { story } from './story.ts';

/*
 * `npm run check:real`: the life of a client system with a real Salt. `-- --install` installs the pinned packages into
 * a folder, which is `MUSTER_REAL` or one of the project; without it the check says what is missing.
 */

const requirements = join(import.meta.dirname, 'requirements.txt');
const folder = process.env['MUSTER_REAL'] ?? join(import.meta.dirname, '../../.muster/real');
const programs = ['salt', 'salt-key', 'salt-master', 'salt-minion'];

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

await playCheck({
  name: 'check:real',
  // Below the socket paths of Linux (107 bytes), which Salt's names nearly fill.
  prefix: 'mr-',
  // Two minutes on an idle machine of two cores; a check that takes longer than this hangs.
  patienceMs: 12 * 60_000,
  logs: [
    'daemon.log',
    'web1.acme.test/output',
    ...['node1', 'node2', 'node3'].flatMap((node) => ['agent.log', 'output'].map((log) => `${node}.acme.test/${log}`)),
  ],
  play: async ({ root, stops }) => story(await saltIn(await saltPrograms(), root), stops),
});
