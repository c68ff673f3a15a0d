import { run } from '../../../tools/check-deploy/processes.ts';
import { step } from '../../../tools/check-deploy/progress.ts';
import { needOpenssl, Unavailable } from '../../../tools/check-deploy/python.ts';
import { programOf } from '../../browser/browser.ts';
import { playCheck } from '../check.ts';
import { apacheHere } from './apache.ts';
import { story } from './story.ts';

/*
 * `npm run check:apache`: cluster mode with a real Apache 2.4 in front of a played Uyuni server, and in a real Chromium
 * where there is one. `-- --install` installs Apache and Chromium of Debian, where this user may; without it the check
 * says what is missing.
 */

async function install(cwd: string): Promise<void> {
  const browser = programOf('chromium') === undefined ? ' chromium' : '';
  const line = `apt-get update -qq && apt-get install -qq -y --no-install-recommends apache2-bin openssl${browser}`;
  const { code, output } = await run('/bin/sh', ['-c', line], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, cwd });
  if (code !== 0) throw new Unavailable(`Apache cannot be installed here: ${output.trim().split('\n').at(-1)}`);
}

await playCheck({
  name: 'check:apache',
  prefix: 'muster-apache-',
  // A minute on an idle machine of two cores; a check that takes longer than this hangs.
  patienceMs: 6 * 60_000,
  logs: ['agent.log', 'error.log', 'apache.log'],
  play: async ({ root, stops }) => {
    if (process.argv.includes('--install')) await step('Apache and Chromium are installed', () => install(root));
    apacheHere();
    await needOpenssl(root);
    await story(root, stops);
  },
});
