import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, spread } from './rounds.ts';

const root = join(import.meta.dirname, '../..');
const rounds = 9;
/** An executable is sent to every host of a rack, and starts at every boot. */
const targets = { packageMb: { atMost: 60 }, ofSources: { atMost: 0.5 } };

/** A start, until it has ended: time on the clock and processor time, its children's included, in ms. */
type Start = { readonly ms: number; readonly cpuMs: number };

/**
 * Asks a command for its version. The shell adds up the time of the processes that it waited for, and prints it in
 * minutes and seconds.
 */
function started(command: readonly string[]): Start {
  const began = performance.now();
  const printed = execFileSync('/bin/sh', ['-c', '"$@" >/dev/null && times', 'sh', ...command, '--version'], { encoding: 'utf8' });
  const ms = performance.now() - began;
  const spans = [...(printed.trim().split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  if (spans.length !== 2) throw new Error(`the shell did not print its times: ${printed}`);
  return { ms, cpuMs: spans.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0) };
}

function figuresOf(what: string, starts: readonly Start[]): Figure {
  const note = `on the clock ${median(starts.map(({ ms }) => ms)).toFixed(0)} ms`;
  const cpu = starts.map(({ cpuMs }) => cpuMs);
  return { what, measured: median(cpu), unit: 'ms', note: `processor time, ${spread(cpu, (one) => one.toFixed(0))}; ${note}` };
}

await program((folder) => {
  execFileSync(process.execPath, [join(root, 'tools/packaging/main.ts'), '--out', folder]);
  const ways = {
    file: [join(folder, 'muster-agent')],
    sources: [process.execPath, join(root, 'programs/agent/main.ts')],
    program: [process.execPath, join(root, 'bin/muster-agent.mjs')],
  };
  const starts = { file: [] as Start[], sources: [] as Start[], program: [] as Start[] };
  // The first round brings the files into memory.
  for (let round = -1; round < rounds; round++)
    for (const way of ['file', 'sources', 'program'] as const) {
      const one = started(ways[way]);
      if (round >= 0) starts[way].push(one);
    }
  const mb = (name: string): number => statSync(join(folder, name)).size / 1e6;
  const shares = starts.file.map(({ cpuMs }, round) => cpuMs / starts.program[round]!.cpuMs);
  return [
    {
      what: 'the executable',
      measured: mb('muster-agent'),
      unit: 'MB',
      note: `node as it came has ${(statSync(process.execPath).size / 1e6).toFixed(0)} MB`,
    },
    {
      what: 'its Debian package',
      measured: mb(readdirSync(folder).find((name) => name.endsWith('.deb'))!),
      unit: 'MB',
      target: targets.packageMb,
    },
    figuresOf('muster-agent --version, the executable', starts.file),
    figuresOf('peer: node programs/agent/main.ts --version', starts.sources),
    figuresOf('peer: node bin/muster-agent.mjs --version', starts.program),
    { what: 'share of the executable in the last', measured: median(shares), unit: '', target: targets.ofSources, note: 'round by round' },
  ];
});
