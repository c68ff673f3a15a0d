import { describe, expect, it } from 'vitest';
import { askedBy, Refused } from './command-line.ts';
import { faultNames } from './config.ts';

/** What a command line asks for, or the exit code and everything that was said where it is refused. */
function read(line: string | readonly string[]) {
  let said = '';
  const write = (text: string): void => {
    said += text;
  };
  try {
    return {
      asked: askedBy(typeof line === 'string' ? line.split(' ').filter(Boolean) : line, 'kept.json', { out: write, err: write }),
      said,
    };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { exitCode: error.exitCode, said };
  }
}

describe('a command line of the simulation', () => {
  it('asks for a thousand seeds when it says nothing, and for as many as fit when it only says how long', () => {
    expect(read('').asked).toMatchObject({
      seeds: { from: 1, to: 1000 },
      jobs: 1,
      trace: false,
      kinds: faultNames,
      regressions: 'kept.json',
      turn: { n: 1, of: 1 },
    });
    expect(read('--turn 2/3').asked?.turn).toEqual({ n: 2, of: 3 });
    expect(read('--for 60s').asked).toMatchObject({ seeds: { from: 1, to: 2 ** 32 - 1 }, forMs: 60_000 });
    expect(read('--seeds 5..9 --for 2m').asked).toMatchObject({ seeds: { from: 5, to: 9 }, forMs: 120_000 });
  });

  it('asks for the seeds of a day, and for a page about them', () => {
    expect(read('--day 2026-11-23 --for 8h --report night.md').asked).toMatchObject({
      seeds: { from: 2_078_000_000, to: 2_078_099_999 },
      forMs: 8 * 3_600_000,
      report: 'night.md',
    });
    expect(read('').asked?.report).toBeUndefined();
  });

  it('picks kinds of faults', () => {
    expect(read('--only crash,time-out').asked?.kinds).toEqual(['crash', 'time-out']);
    expect(read('--only none').asked?.kinds).toEqual([]);
    expect(read('--no crash').asked?.kinds).toEqual(faultNames.filter((kind) => kind !== 'crash'));
    expect(read('--only crash,skew --no skew').asked?.kinds).toEqual(['crash']);
  });

  it('names one history, which leaves the kept ones alone', () => {
    expect(read('--seed 17 --trace --tail 20').asked).toMatchObject({ seeds: { from: 17, to: 17 }, trace: true, tail: 20 });
    expect(read('--seed 17').asked?.regressions).toBeUndefined();
    expect(read(['--config', '{"seed":3,"nodes":2,"faults":{"crash":0.1}}']).asked?.config).toEqual({
      seed: 3,
      nodes: 2,
      faults: { crash: 0.1 },
    });
  });

  it('says in one line what is wrong, and exits with 2', () => {
    for (const [line, why] of [
      ['--seeds 9..1', 'It is a range such as 1..5000'],
      ['--seeds many', 'It is a range such as 1..5000'],
      ['--seed -1', 'It must be a whole number'],
      ['--seed 4294967296', 'up to 4294967295'],
      ['--jobs 0', 'from 1 to 64'],
      ['--turn 3/2', 'such as 2/3'],
      ['--turn 1', 'such as 2/3'],
      ['--day tomorrow', 'It is a day'],
      ['--day 2026-13-01', 'It is a day'],
      ['--day 2099-01-01', 'It is a day'],
      ['--for soon', 'It must be a span'],
      ['--only toString', 'no kind of fault called "toString"'],
      ['--config {', 'this is no JSON'],
      ['--config {"seed":1,"slots":7}', 'slots'],
      ['--config {"seed":1,"faults":{"gremlins":1}}', 'faults'],
      ['--planted nothing', 'the name of a bug'],
      ['--trace', '--trace shows one history'],
      ['--seed 1 --tail 5', '--tail is of a trace'],
      ['--seed 1 --seeds 1..2', 'cannot be used with'],
      ['everything', 'too many arguments'],
      ['--sedes 1..2', 'unknown option'],
    ] as const) {
      const { exitCode, said } = read(line);
      expect(exitCode, line).toBe(2);
      expect(said, line).toContain(why);
      expect(said.trimEnd().split('\n').length, said).toBeLessThanOrEqual(2);
      expect(said, line).toMatch(/^simulate: /);
    }
  });

  it('has help with every kind of fault and examples', () => {
    const { exitCode, said } = read('--help');
    expect(exitCode).toBe(0);
    for (const kind of faultNames) expect(said).toContain(`  ${kind} `);
    expect(said).toContain('npm run simulate -- --seeds 1..5000 --jobs 2');
  });
});
