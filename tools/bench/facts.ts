import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkFacts } from '../../lib/mero/facts/check/check.ts';
import { readText } from '../../lib/mero/facts/text/text.ts';
import { writeText } from '../../lib/mero/facts/text/write.ts';
import { fabricatedFacts } from '../support/facts/fabricated.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, spread } from './rounds.ts';

/** 170 servers with 100 devices each make a file of 5 MB; 1,000 are the largest cluster that is promised. */
const files = { usual: { servers: 170, devicesEach: 100 }, largest: { servers: 1_000, devicesEach: 100 } } as const;
const rounds = 5;
/**
 * A file of 5 MB should be validated in a second, beyond the time in which the program starts and checks a file of one
 * server.
 */
const target = { atMost: 1_000 };
/** The check in a process of its own, which shows how much memory it takes: the file's name is its argument. */
const alone = `
  const { readFileSync } = await import('node:fs');
  const { readText } = await import('${new URL('../../lib/mero/facts/text/text.ts', import.meta.url).href}');
  const { checkFacts } = await import('${new URL('../../lib/mero/facts/check/check.ts', import.meta.url).href}');
  const read = await readText(readFileSync(process.argv[1], 'utf8'));
  if (!read.ok || !checkFacts(read.value).ok) process.exit(1);
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify([(user + system) / 1000, process.resourceUsage().maxRSS / 1024]));
`;

/** Milliseconds of processor time, of each of some rounds after a first that does not count. */
async function timed(work: () => unknown): Promise<number[]> {
  const measured: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) measured.push((user + system) / 1000);
  }
  return measured;
}

const figure = (what: string, ms: readonly number[], note = ''): Figure => ({
  what,
  measured: median(ms),
  unit: 'ms',
  note: `processor time, ${spread(ms, (one) => one.toFixed(0))}${note}`,
});

async function valueIn(text: string): Promise<unknown> {
  const read = await readText(text);
  if (!read.ok) throw new Error(read.says);
  return read.value;
}

function check(value: unknown): void {
  if (!checkFacts(value).ok) throw new Error('the fabricated facts have defects');
}

/**
 * Prints at the end how much processor time a process took, in µs, so that other programs on the machine do not count.
 */
const saysUsage = `data:text/javascript,${encodeURIComponent("process.on('exit', () => { const { user, system } = process.cpuUsage(); console.error(user + system); })")}`;

/** Milliseconds of processor time of the command as an operator starts it, in each round. */
const commanded = (file: string): number[] =>
  Array.from({ length: rounds }, () => {
    const words = ['--import', saysUsage, 'programs/cli/main.ts', 'facts', 'validate', file];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return Number(stderr) / 1000;
  });

/** A large file in a process of its own: its processor time in ms, and the most memory it had, in MiB. */
function large(file: string): [ms: number, mib: number] {
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', alone, file], { encoding: 'utf8' }));
}

await program(async (folder) => {
  const usual = writeText(fabricatedFacts(files.usual));
  const value = await valueIn(usual);
  const json = JSON.stringify(value, undefined, 2);
  const [smallFile, usualFile, largestFile] = [join(folder, 'small.yaml'), join(folder, 'usual.yaml'), join(folder, 'largest.yaml')];
  writeFileSync(smallFile, writeText(fabricatedFacts({ servers: 1, devicesEach: 1 })));
  writeFileSync(usualFile, usual);
  writeFileSync(largestFile, writeText(fabricatedFacts(files.largest)));
  const [start, command] = [commanded(smallFile), commanded(usualFile)];
  const [ms, mib] = large(largestFile);
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    {
      what: `validating ${mb(usual.length)}, 17,000 devices, for the first time in a process`,
      measured: median(command) - median(start),
      unit: 'ms',
      target,
      note: 'processor time of the command, without that for a file of one server',
    },
    figure('muster facts validate, whole', command),
    figure('the same of one server', start),
    figure(`reading it as YAML`, await timed(() => valueIn(usual))),
    figure(`reading it as JSON, ${mb(json.length)}`, await timed(() => valueIn(json))),
    figure('peer: the yaml package, once', [await once(() => parse(usual))]),
    figure('peer: JSON.parse', await timed(() => JSON.parse(json))),
    figure('checking and expanding it', await timed(() => check(value))),
    {
      what: `1,000 servers, 100,000 devices, ${mb(readFileSync(largestFile).length)} of YAML: read, checked, expanded`,
      measured: ms,
      unit: 'ms',
      note: 'processor time of its process',
    },
    { what: 'the most memory of that process', measured: mib, unit: 'MiB', target: { atMost: 1_024 } },
  ];
});

async function once(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
