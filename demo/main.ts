import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Cast, withCast } from './cast.ts';
import { play, type Watching } from './story.ts';
import { measuredTable } from './table.ts';

/** The main job on this machine, in about a minute, with real processes and real HTTP. */
const { values } = parseArgs({ options: { nodes: { type: 'string', default: '5' }, systems: { type: 'string', default: '500' } } });
if (!/^[1-9]\d*$/.test(values.nodes) || values.nodes === '1' || !/^[1-9]\d*$/.test(values.systems)) {
  process.stderr.write('demo: --nodes and --systems take a number: nodes 2 or more, systems 1 or more\n');
  process.exit(2);
}
const nodes = Array.from({ length: Number(values.nodes) }, (_, i) => `node${i + 1}.demo.muster.test`);
const systems = Number(values.systems);
const askAgainMs = 200;
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());

process.exit(await run());

async function run(): Promise<number> {
  const started = performance.now();
  try {
    const measured = await withCast(nodes, (cast) => play(cast, systems, watchingOf(cast)));
    progress('');
    process.stdout.write(
      `\nMuster on this machine: one control plane, ${nodes.length} node agents, ${systems} client daemons\n\n${measuredTable(measured)}`,
    );
    process.stdout.write(
      `\n  ${((performance.now() - started) / 1000).toFixed(0)} s in all; every process has ended, nothing is left behind.\n`,
    );
    return measured.othersMoved === 0 ? 0 : 1;
  } catch (error) {
    progress('');
    if (interrupted.signal.aborted) return 130;
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** Asks again a few times a second, on a terminal with a line that says what is awaited; ends at once when somebody of the cast has. */
function watchingOf(cast: Cast): Watching {
  return {
    now: Date.now,
    until: async (what, withinMs, ask) => {
      const started = Date.now();
      for (;;) {
        const found = await ask();
        if (found !== undefined) return found;
        const waitedMs = Date.now() - started;
        progress(`${String(Math.round(waitedMs / 1000)).padStart(3)} s  until ${what}`);
        const casualty = cast.casualty();
        if (casualty !== undefined) throw new Error(casualty);
        if (waitedMs > withinMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
        await sleep(askAgainMs, undefined, { signal: interrupted.signal });
      }
    },
  };
}

/** One line on a terminal, replaced by the next; nothing anywhere else. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
}
