import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeText } from '../../lib/mero/facts/text/write.ts';
import { fabricatedFacts } from '../support/facts/fabricated.ts';
import { startEmbedded } from './embedded.ts';
import type { Figure } from './report/figure.ts';
import { cpuMs } from './report/of-process.ts';
import { program } from './report/program.ts';
import { median, spread } from './rounds.ts';

/** 1,430 servers have 3,003 processes. */
const servers = 1_430;
const rounds = 15;
/** An operator who asks again and again during a start does not notice a third of a second. */
const target = { atMost: 300 };

/** Runs a command as an operator calls it; gives its time in ms. Throws when it fails. */
function command(env: Readonly<Record<string, string>>, ...words: string[]): number {
  const begunAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['programs/cli/main.ts', ...words], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - begunAt;
}

/** The cost of a call: processor time of the host, and the time until the last byte, in ms. */
type Called = { readonly cpu: number; readonly ms: number[]; readonly bytes: number; readonly processes: number };

/** The call of an operator, so many times. */
async function called(url: string, secret: string, pid: number): Promise<Called> {
  const ms: number[] = [];
  let usedBefore = 0;
  let text = '';
  // The first three are for the compiler.
  for (let round = -3; round < rounds; round++) {
    if (round === 0) usedBefore = cpuMs(pid);
    const begunAt = performance.now();
    const reply = await fetch(url, { headers: { authorization: `Bearer ${secret}` } });
    text = await reply.text();
    if (!reply.ok) throw new Error(text);
    if (round >= 0) ms.push(performance.now() - begunAt);
  }
  const hosts = (JSON.parse(text) as { hosts?: { processes: unknown[] }[] }).hosts ?? [];
  return {
    cpu: (cpuMs(pid) - usedBefore) / rounds,
    ms,
    bytes: text.length,
    processes: hosts.reduce((sum, host) => sum + host.processes.length, 0),
  };
}

/** A figure in processor time, because that leaves other programs out; the operator's wait is given beside it. */
const figure = (what: string, { cpu, ms }: Called, note: string): Figure => ({
  what,
  measured: cpu,
  unit: 'ms',
  target,
  note: `processor time; ${spread(ms, (one) => `${one.toFixed(0)} ms`)} until the last byte; ${note}`,
});

await program(async (folder) => {
  const file = join(folder, 'facts.yaml');
  writeFileSync(file, writeText(fabricatedFacts({ servers, devicesEach: 2 })));
  const home = join(folder, 'home');
  const host = await startEmbedded(home);
  const env = { MUSTER_ENDPOINT: host.url, MUSTER_HOME: home };
  command(env, 'zone', 'create', 'tier1', '--kind', 'storage');
  command(env, 'mero', 'load', '-f', file);
  const secret = readFileSync(join(home, 'operator.key'), 'utf8').trim();
  const mero = `${host.url}/api/v1/zones/tier1/mero`;
  const summary = await called(`${mero}?summary=true`, secret, host.pid);
  const whole = await called(mero, secret, host.pid);
  const text = [1, 2, 3].map(() => command(env, 'mero', 'status'));
  await host.stop();
  const mib = (bytes: number): string => `${(bytes / 1_048_576).toFixed(2)} MiB`;
  return [
    figure('GET …/mero?summary=true: what is said of a cluster of 3,003 processes as a whole', summary, mib(summary.bytes)),
    figure('GET …/mero: 1,430 hosts with their processes and services', whole, `${whole.processes} processes, ${mib(whole.bytes)}`),
    {
      what: 'muster mero status, as an operator calls it',
      measured: median(text),
      unit: 'ms',
      note: 'the start of Node and of the command line in it',
    },
  ];
});
