import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askedBy } from './command-line.ts';
import { type Config, configOf } from './config.ts';
import { fakeRunner } from './fake-runner.ts';
import { sameHistory } from './judged.ts';
import { seedsOfDay } from './night.ts';
import { endsInvariant } from './pool.ts';
import { readRegressions } from './regressions.ts';
import { simulate } from './simulate.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-simulate-'));
  file = join(folder, 'regressions.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a command line with histories that `run` makes up; a clock that only moves when `step` does. */
async function simulated(line: string, run: Parameters<typeof simulate>[1]['run'], now = () => 0) {
  let said = '';
  const pages: string[] = [];
  const silent = { out: () => undefined, err: () => undefined };
  const allHold = await simulate(askedBy(line.split(' '), file, silent), {
    run,
    now,
    today: () => new Date('2026-03-04T05:06:07Z'),
    commit: () => '0123456789ab',
    write: (name, text) => void pages.push(`${name}\n${text}`),
    out: (text) => {
      said += text;
    },
    progress: () => undefined,
    interrupted: () => false,
  });
  return { allHold, said, pages };
}

const seedsOf = (ran: readonly Config[]): number[] => ran.map(({ seed }) => seed);

describe('histories that hold', () => {
  it('are run once, every twentieth twice', async () => {
    const { run, ran } = fakeRunner(() => undefined);
    const { allHold, said } = await simulated('--seeds 18..22', run);
    expect(allHold).toBe(true);
    expect(seedsOf(ran)).toEqual([18, 19, 20, 20, 21, 22]);
    expect(ran[0]).toEqual(configOf(18));
    expect(said).toContain('5 seeds');
    expect(said).toContain('5 virtual hours');
  });

  it('are begun as long as there is time', async () => {
    let ms = 0;
    const { run, ran } = fakeRunner(() => undefined);
    await simulated(
      '--for 30s',
      async (config) => run(config).finally(() => (ms += 10_000)),
      () => ms,
    );
    expect(seedsOf(ran)).toEqual([1, 2, 3]);
  });

  it('have only the faults that were asked for, and the summary names those that never happened', async () => {
    const { run, ran } = fakeRunner(() => undefined);
    const { said } = await simulated('--seeds 1..40 --only crash,skew', run);
    expect(new Set(ran.flatMap(({ faults }) => Object.keys(faults)))).toEqual(new Set(['crash', 'skew']));
    expect(said).toMatch(/never happened: throttle, lost-answer, .*poison/);
    expect(said).not.toMatch(/never happened:.*(crash|skew)/);
  });

  it('are summed up for programs', async () => {
    const { said } = await simulated('--seeds 1..3 --json', fakeRunner(() => undefined).run);
    expect(JSON.parse(said)).toMatchObject({ seeds: 3, failed: 0, steps: 30, virtualMs: 3 * 3_600_000 });
  });
});

describe('a history that fails', () => {
  const withNodes = fakeRunner(({ seed, nodes }) => (seed === 3 && nodes >= 2 ? 'nobody-is-lost' : undefined));

  it('is made small, told with the command that replays it, and kept; the other seeds go on', async () => {
    expect(configOf(3).nodes).toBeGreaterThanOrEqual(2);
    const { allHold, said } = await simulated('--seeds 1..5', withNodes.run);
    const small = { seed: 3, shape: 'embedded', faults: {}, nodes: 2, clients: 0, admins: 0, automation: false, slots: 1024 };
    expect(allHold).toBe(false);
    expect(said).toContain('nobody-is-lost was violated by seed 3, after 00:01:01.500 and 9 steps:\n  seed 3 has 2 nodes\n');
    expect(readRegressions(file)).toEqual([
      { config: expect.objectContaining(small), invariant: 'nobody-is-lost', found: '2026-03-04', note: 'seed 3 has 2 nodes' },
    ]);
    const [, command] = /--config '(.*)' --trace/.exec(said) ?? [];
    expect(JSON.parse(command!)).toEqual(readRegressions(file)[0]?.config);
    expect(said).toContain('5 seeds');
  });

  it('is run first from then on, and not kept twice', async () => {
    await simulated('--seeds 1..5', withNodes.run);
    const { run, ran } = fakeRunner(({ seed, nodes }) => (seed === 3 && nodes >= 2 ? 'nobody-is-lost' : undefined));
    const { allHold, said } = await simulated('--seeds 1..3', run);
    expect(allHold).toBe(false);
    expect(ran[0]).toEqual(readRegressions(file)[0]?.config);
    expect(said).toContain('fails again');
    expect(readRegressions(file)).toHaveLength(1);
  });

  it('fails the run by itself when it was kept, whatever it breaks now', async () => {
    writeFileSync(file, JSON.stringify([{ config: { seed: 9 }, invariant: 'one-thing', found: '2026-01-01', note: '' }]));
    const { run, ran } = fakeRunner(({ seed }) => (seed === 9 ? 'another-thing' : undefined));
    const { allHold, said } = await simulated('--seeds 1..2', run);
    expect(allHold).toBe(false);
    expect(ran[0]).toEqual(configOf(9));
    expect(said).toContain('broke one-thing then, and now');
  });

  it('is shrunk once for each invariant', async () => {
    const { run, ran } = fakeRunner(({ seed }) => (seed % 2 === 0 ? 'even-ones-hold' : undefined));
    const { said } = await simulated('--seeds 1..9', run);
    expect(ran.filter(({ seed }) => seed === 2).length).toBeGreaterThan(2);
    expect(seedsOf(ran.filter(({ seed }) => seed > 2))).toEqual([3, 4, 4, 5, 6, 6, 7, 8, 8, 9]);
    expect(said).toContain('seed 4 violated even-ones-hold too');
    expect(readRegressions(file)).toHaveLength(1);
  });

  it('counts as smaller only while it breaks the same invariant', async () => {
    const { run } = fakeRunner(({ seed, nodes }) => (seed !== 3 ? undefined : nodes >= 2 ? 'nobody-is-lost' : 'there-are-two'));
    await simulated('--seeds 3..3', run);
    expect(readRegressions(file)).toMatchObject([{ invariant: 'nobody-is-lost', config: { nodes: 2 } }]);
  });
});

describe('a page about a night', () => {
  it('says what was run, and nothing else where all held', async () => {
    const { pages } = await simulated('--seeds 18..22 --report night.md', fakeRunner(() => undefined).run);
    expect(pages).toHaveLength(1);
    for (const line of [
      'night.md\n# Simulation of 2026-03-04\n',
      '| commit | `0123456789ab` |\n',
      '| seeds | 18 to 22 |\n',
      '| histories | 5 |\n| steps | 50 |\n| virtual hours | 5 |\n| violations | 0 |\n',
      '## Violations\n\nNone.\n',
    ])
      expect(pages[0]).toContain(line);
    expect(pages[0]).toMatch(/\| `crash` \| \d \| \d+ \| a function is killed at any await \|\n/);
  });

  it('has each violation with the command that replays it, and is there before the run is over', async () => {
    const { run } = fakeRunner(({ seed, nodes }) => (seed % 3 === 0 && nodes >= 1 ? 'nobody-is-lost' : undefined));
    const { pages } = await simulated('--seeds 1..7 --report night.md', run);
    expect(pages).toHaveLength(3);
    expect(pages[0]).toContain('| ended | not yet');
    const last = pages.at(-1)!;
    expect(last).toContain('| violations | 2 |');
    expect(last).toContain('### `nobody-is-lost`, seed 3\n');
    expect(last).toContain('### `nobody-is-lost`, seed 6\n');
    expect(last.match(/^npm run simulate -- --config '\{.*\}' --trace$/gm)).toHaveLength(2);
  });

  it('counts what did not end, and what failed once and fails again', async () => {
    writeFileSync(file, JSON.stringify([{ config: { seed: 9 }, invariant: 'one-thing', found: '2026-01-01', note: '' }]));
    const { run } = fakeRunner(({ seed }) => (seed === 9 ? 'one-thing' : seed === 2 ? endsInvariant : undefined));
    const { allHold, pages } = await simulated('--seeds 1..2 --report night.md', run);
    expect(allHold).toBe(false);
    expect(pages.at(-1)).toContain('| violations | 2 |');
    expect(pages.at(-1)).toContain(`### \`${endsInvariant}\`, seed 2`);
    expect(pages.at(-1)).toContain('### A history that failed once');
  });
});

describe('the seeds of a day', () => {
  it('are those of no other day, and far from those that tests run', () => {
    expect(seedsOfDay('2026-11-23')).toEqual({ from: 2_078_000_000, to: 2_078_099_999 });
    expect(seedsOfDay('2026-11-24').from).toBe(seedsOfDay('2026-11-23').to + 1);
  });
});

describe('a history that is another one when it is run again', () => {
  it('is found although every invariant holds', async () => {
    let n = 0;
    const { run } = fakeRunner(
      () => undefined,
      () => String(n++),
    );
    const { allHold, said } = await simulated('--seeds 20..20', run);
    expect(allHold).toBe(false);
    expect(said).toContain(`${sameHistory} was violated by seed 20`);
  });

  it('is said first of a failing one', async () => {
    let n = 0;
    const { run } = fakeRunner(
      () => 'nobody-is-lost',
      () => String(n++),
    );
    const { said } = await simulated('--seeds 1..1', run);
    expect(said).toContain(`${sameHistory} was violated by seed 1`);
  });
});
