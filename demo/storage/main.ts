import { perform } from '../performance.ts';
import { seconds } from '../table.ts';
import { progress, watchingOf } from '../watching.ts';
import { withCast } from './cast.ts';
import { play, type Scene } from './story.ts';

/** A storage cluster on this machine, in about a minute, with real agents, real processes and the command line. */
await perform(async (signal) => {
  const started = performance.now();
  process.stdout.write('A storage cluster on this machine: one control plane, three hosts with their agents, fourteen processes\n');
  await withCast(signal, (cast) => play({ cast, watching: watchingOf(cast, signal), tell }));
  progress('');
  process.stdout.write(`\n${seconds(performance.now() - started)} in all; every process has ended, nothing is left behind.\n`);
  return 0;
});

function tell({ what, ms, shown }: Scene): void {
  progress('');
  const lines = shown.map((line) => (line === '' ? '\n' : `    ${line}\n`));
  process.stdout.write(`\n${seconds(ms).padStart(7)}  ${what}\n${lines.length === 0 ? '' : '\n'}${lines.join('')}`);
}
