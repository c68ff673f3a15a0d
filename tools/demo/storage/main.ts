import { perform } from '../performance.ts';
import { tell } from '../scene.ts';
import { seconds } from '../table.ts';
import { tellWhereToWatch } from '../to-watch.ts';
import { progress, watchingOf } from '../watching.ts';
import { withCast } from './cast.ts';
import { play } from './story.ts';

/** A storage cluster on this machine, in about a minute, with real agents, real processes and the command line. */
await perform(async (signal) => {
  const started = performance.now();
  process.stdout.write('A storage cluster on this machine: one control plane, three hosts with their agents, fourteen processes\n');
  await withCast(signal, async (cast) => {
    await tellWhereToWatch(cast.api);
    await play({ cast, watching: watchingOf(cast, signal), tell });
  });
  progress('');
  process.stdout.write(`\n${seconds(performance.now() - started)} in all; every process has ended, nothing is left behind.\n`);
  return 0;
});
