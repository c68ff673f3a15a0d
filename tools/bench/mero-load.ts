import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeText } from '../../lib/mero/facts/text/write.ts';
import { aShell } from '../support/a-shell.ts';
import { fabricatedFacts } from '../support/facts/fabricated.ts';
import { aStorageZone, goodFacts, load } from '../support/loading.ts';
import { startEmbedded } from './embedded.ts';
import type { Figure } from './report/figure.ts';
import { cpuMs, peakMib } from './report/of-process.ts';
import { program } from './report/program.ts';

/** The largest cluster that is promised. */
const largest = { servers: 1_000, devicesEach: 100 } as const;
/** An operator waits for it, with a line that moves: a minute is a time that people wait. */
const target = { atMost: 60_000 };

/** Prints at the end how much processor time a process took, in µs, and the most memory it had, in KiB. */
const saysUsage = `data:text/javascript,${encodeURIComponent("process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); console.error('usage', userCPUTime + systemCPUTime, maxRSS); })")}`;

type Commanded = { readonly wallMs: number; readonly cpuMs: number; readonly mib: number };

/** Runs a command as an operator calls it; gives its time and its memory. Throws when it fails. */
function command(env: Readonly<Record<string, string>>, ...words: string[]): Commanded {
  const begunAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', saysUsage, 'programs/cli/main.ts', ...words], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const [, cpu, rss] = /usage (\d+) (\d+)/.exec(stderr)!;
  return { wallMs: performance.now() - begunAt, cpuMs: Number(cpu) / 1_000, mib: Number(rss) / 1_024 };
}

/** The units of a load on a table that charges as DynamoDB does. */
async function units(): Promise<Figure[]> {
  const shell = aShell();
  const zone = await aStorageZone(shell);
  const { cut } = goodFacts(fabricatedFacts(largest));
  const { readUnits, writeUnits, rowsWritten } = { ...shell.table.meter };
  await load(shell, zone, cut);
  const { meter } = shell.table;
  const calls = `${cut.pages.length} pages and ${cut.servers.length} parts of servers`;
  return [
    { what: 'the same on DynamoDB: write units', measured: meter.writeUnits - writeUnits, unit: 'units', note: calls },
    { what: 'read units', measured: meter.readUnits - readUnits, unit: 'units' },
    { what: 'rows written', measured: meter.rowsWritten - rowsWritten, unit: 'rows' },
  ];
}

await program(async (folder) => {
  const file = join(folder, 'facts.yaml');
  writeFileSync(file, writeText(fabricatedFacts(largest)));
  const home = join(folder, 'home');
  const host = await startEmbedded(home);
  const env = { MUSTER_ENDPOINT: host.url, MUSTER_HOME: home };
  command(env, 'zone', 'create', 'tier1', '--kind', 'storage');
  const idle = { mib: peakMib(host.pid), cpuMs: cpuMs(host.pid) };
  const loaded = command(env, 'mero', 'load', '-f', file);
  const after = { mib: peakMib(host.pid), cpuMs: cpuMs(host.pid) };
  const again = command(env, 'mero', 'load', '-f', file);
  const dumped = command(env, 'mero', 'dump', '-f', join(folder, 'dump.yaml'));
  await host.stop();
  return [
    {
      what: 'muster mero load of 1,000 servers, 2,100 processes, 100,000 devices, on the embedded host',
      measured: loaded.wallMs,
      unit: 'ms',
      target,
      note: `processor time ${Math.round(loaded.cpuMs)} ms of the command, ${Math.round(after.cpuMs - idle.cpuMs)} ms of the host`,
    },
    { what: 'the most memory of the command', measured: loaded.mib, unit: 'MiB', target: { atMost: 1_024 } },
    {
      what: 'the most memory of the host',
      measured: after.mib,
      unit: 'MiB',
      target: { atMost: 512 },
      note: `${Math.round(idle.mib)} MiB before`,
    },
    { what: 'the same facts again: already loaded', measured: again.wallMs, unit: 'ms', note: 'nearly all of it is reading the file' },
    { what: 'muster mero dump of it', measured: dumped.wallMs, unit: 'ms', note: `${Math.round(dumped.mib)} MiB` },
    ...(await units()),
  ];
});
