import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { postgresMissing } from '../../support/uyuni/postgres/programs.ts';
import { perform } from '../performance.ts';
import { tell } from '../scene.ts';
import { type Measured, tableOf } from '../stage.ts';
import { seconds } from '../table.ts';
import { tellWhereToWatch } from '../to-watch.ts';
import { progress, watchingOf } from '../watching.ts';
import { withCast } from './cast.ts';
import type { Stage } from './stage.ts';
import { play } from './story.ts';

/** How long a person has to look at what has happened before the next scene, in s. */
const pauseDefaultS = 8;

/**
 * Uyuni servers that become nodes, on this machine: played servers with a real PostgreSQL, real agents, and the client
 * daemons of all their systems.
 */
const { values } = parseArgs({
  options: {
    systems: { type: 'string', default: '300' },
    pause: { type: 'string', default: String(pauseDefaultS) },
    quick: { type: 'boolean', default: false },
    stay: { type: 'boolean', default: false },
  },
});
if (!/^[1-9]\d{0,3}$/.test(values.systems) || !/^\d{1,3}$/.test(values.pause))
  refuse('--systems takes a number from 1 to 9999, and --pause seconds');
const missing = await postgresMissing();
if (missing !== undefined)
  refuse(`${missing}. The servers of this demo have a real one: npm install fetches it with the optional packages`);

await perform(async (signal) => {
  const started = performance.now();
  const figures: Measured[] = [];
  process.stdout.write('Uyuni servers on this machine: one control plane, three played servers with a PostgreSQL each, and their agents\n');
  await withCast(signal, async (cast) => {
    await tellWhereToWatch(cast.api);
    const watching = watchingOf(cast, signal);
    const stage: Stage = {
      cast,
      watching,
      tell,
      systems: Number(values.systems),
      measured: (what, ms) => void figures.push([what, ms]),
      pause: async (next) => (values.quick ? undefined : pausing(next, signal)),
      breathe: async (ms) => (values.quick ? undefined : sleep(ms, undefined, { signal })),
    };
    await play(stage);
    progress('');
    process.stdout.write(`\n${tableOf(figures)}`);
    if (values.stay) await watching.until('Ctrl-C ends it', Number.POSITIVE_INFINITY, async () => undefined);
  });
  progress('');
  process.stdout.write(`\n${seconds(performance.now() - started)} in all; every process has ended, nothing is left behind.\n`);
  return 0;
});

/** Says on a terminal what comes next, and waits. */
async function pausing(next: string, signal: AbortSignal): Promise<void> {
  for (let left = Number(values.pause); left > 0; left--) {
    progress(`in ${left} s: ${next}`);
    await sleep(1_000, undefined, { signal });
  }
}

function refuse(why: string): never {
  process.stderr.write(`demo: ${why}\n`);
  process.exit(2);
}
