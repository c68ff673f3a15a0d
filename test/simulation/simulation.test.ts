import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { plantedFrom, secondsDefault, secondsFrom, turnOf, turns } from './budget.ts';
import { readRegressions, regressionsFile } from './regressions.ts';
import { spawned } from './spawned.ts';

const seconds = secondsFrom(process.env);
/** What may come beyond the budget: histories that failed once, the one under way, and making a failure smaller. */
const beyondMs = 600_000;
/** As many as a machine does that is ten times slower than it should be; a slower one is given the time for them. */
const seedsMin = 5;

/** Runs histories that must all hold, in at most so many ms; gives how many there were. */
async function held(seeds: readonly string[], withinMs: number): Promise<number> {
  const { code, out, err } = await spawned('main.ts', [...seeds, '--jobs', '1'], withinMs);
  expect(code, `${out}${err}`).toBe(0);
  const [, count = ''] = /^([\d,]+) seeds, /m.exec(out) ?? [];
  return Number(count.replaceAll(',', ''));
}

describe('the simulated cluster', () => {
  it(`keeps every invariant in as many histories as fit into ${seconds} s, and in the first ${seedsMin} however long they take`, {
    timeout: seconds * 1000 + 2 * beyondMs,
  }, async () => {
    const turn = `${turnOf(new Date(), turns.regressions)}/${turns.regressions}`;
    const done = await held(['--seeds', '1..', '--for', `${seconds}s`, '--turn', turn], seconds * 1000 + beyondMs - 5_000);
    if (done < seedsMin)
      expect(await held(['--seeds', `${done + 1}..${seedsMin}`, '--turn', turn], beyondMs - 5_000)).toBe(seedsMin - done);
  });

  it('has a file of regressions that can be read', () => {
    expect(Array.isArray(readRegressions(regressionsFile))).toBe(true);
  });
});

describe('the program that simulates', () => {
  it('refuses nonsense in one line with exit code 2', async () => {
    const { code, out, err } = await spawned('main.ts', ['--seeds', 'some'], 30_000);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^simulate: .*\n$/);
  });

  it('prints every step of one history', { timeout: 60_000 }, async () => {
    const small =
      '{"seed":1,"shape":"embedded","faults":{},"nodes":1,"clients":1,"admins":0,"automation":false,"slots":1024,"faultMs":30000}';
    const { code, out } = await spawned('main.ts', ['--config', small, '--trace', '--tail', '30'], 50_000);
    expect(code, out).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(
      lines.slice(0, 30).every((line) => /^\d\d:\d\d:\d\d\.\d{3} {2}\S/.test(line)),
      out,
    ).toBe(true);
    expect(lines.slice(30)).toEqual(['', expect.stringMatching(/^every invariant held: \d+ steps, hash [0-9a-f]{8}$/)]);
  });

  it('exits with 1 and says how to see it when the code has a bug', { timeout: 120_000 }, async () => {
    const args = ['--seeds', '5..7', '--planted', 'events-are-counted-by-commits', '--jobs', '2'];
    const { code, out } = await spawned('main.ts', args, 110_000);
    expect(code, out).toBe(1);
    const [, config] = /npm run simulate -- --config '(.*)' --planted events-are-counted-by-commits --trace/.exec(out) ?? [];
    const again = await spawned(
      'main.ts',
      ['--config', config!, '--planted', 'events-are-counted-by-commits', '--trace', '--tail', '1'],
      60_000,
    );
    expect(again.code, again.out).toBe(1);
    expect(again.out).toContain('events-are-numbered-without-holes was violated by seed');
  });

  it('reports a history that throws as one that does not hold', { timeout: 60_000 }, async () => {
    const { code, out } = await spawned('main.ts', ['--seeds', '1..2', '--planted', 'the-simulation-has-a-fault'], 50_000);
    expect(code, out).toBe(1);
    expect(out).toContain('every-history-ends was violated by seed 1');
    expect(out).toContain('Error: a fault of the simulation');
    expect(out).toContain('2 seeds');
  });
});

describe('the time that tests simulate', () => {
  it('is what MUSTER_SIMULATE_S says, in seconds', () => {
    expect(secondsFrom({})).toBe(secondsDefault);
    expect(secondsFrom({ MUSTER_SIMULATE_S: '240' })).toBe(240);
    expect(() => secondsFrom({ MUSTER_SIMULATE_S: 'long' })).toThrow('no whole number of seconds');
  });
});

describe('the bugs that tests plant', () => {
  it('are what MUSTER_PLANTED says: those whose turn it is, one of each invariant, or all', () => {
    expect(plantedFrom({})).toBe('in-turn');
    expect(plantedFrom({ MUSTER_PLANTED: 'one-each' })).toBe('one-each');
    expect(plantedFrom({ MUSTER_PLANTED: 'all' })).toBe('all');
    expect(() => plantedFrom({ MUSTER_PLANTED: 'some' })).toThrow('none of in-turn, one-each, all');
  });

  it('have each their turn, day after day', () => {
    for (const of of Object.values(turns)) {
      const days = Array.from({ length: of }, (_, n) => turnOf(new Date(Date.UTC(2026, 10, 28 + n)), of));
      expect(days.toSorted((a, b) => a - b)).toEqual(Array.from({ length: of }, (_, n) => n + 1));
    }
  });
});
