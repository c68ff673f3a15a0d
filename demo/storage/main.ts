import { seconds } from '../table.ts';
import { progress, watchingOf } from '../watching.ts';
import { withCast } from './cast.ts';
import { play, type Scene } from './story.ts';

/** A storage cluster on this machine, in about a minute, with real agents, real processes and the command line. */
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());

process.exit(await run());

async function run(): Promise<number> {
  const started = performance.now();
  try {
    process.stdout.write('A storage cluster on this machine: one control plane, three hosts with their agents, fourteen processes\n');
    const { signal } = interrupted;
    await withCast(signal, (cast) => play({ cast, watching: watchingOf(cast, signal), tell }));
    progress('');
    process.stdout.write(`\n${seconds(performance.now() - started)} in all; every process has ended, nothing is left behind.\n`);
    return 0;
  } catch (error) {
    progress('');
    if (interrupted.signal.aborted) return 130;
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function tell({ what, ms, shown }: Scene): void {
  progress('');
  const lines = shown.map((line) => (line === '' ? '\n' : `    ${line}\n`));
  process.stdout.write(`\n${seconds(ms).padStart(7)}  ${what}\n${lines.length === 0 ? '' : '\n'}${lines.join('')}`);
}
