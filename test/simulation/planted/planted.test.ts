import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { plantedFrom, turnOf, turns } from '../budget.ts';
import { invariants } from '../invariants/index.ts';
import { sameHistory } from '../judged.ts';
import { endsInvariant } from '../pool.ts';
import { spawned } from '../spawned.ts';
import { type Bug, type Patch, patch } from './bug.ts';
import { bugs } from './bugs.ts';
import { fileOf } from './places.ts';
import { misfits, oneOfEach, shardOf } from './registry.ts';

const names = invariants.map(({ name }) => name);
const folder = mkdtempSync(join(tmpdir(), 'muster-planted-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * How long all bugs may take, in ms: of all of them each of the two shards computes for some 500 s, and twice that long
 * on two busy cores.
 */
const withinMs = 1_800_000;

type Line = { readonly bug?: string; readonly complaint?: string; readonly found?: object };

/** Plants bugs in a process of its own, those of the project unless told otherwise. */
async function plant(args: readonly string[]): Promise<{ code: number | null; lines: Line[]; said: string }> {
  const { code, out, err } = await spawned('planted/main.ts', args, withinMs - 5_000);
  return {
    code,
    lines: out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line),
    said: out + err,
  };
}

/** A list of made-up bugs as a file that the program can be given. */
function writtenBugs(...made: readonly Bug[]): string {
  const file = join(folder, `bugs-${made.map(({ name }) => name).join('-')}.ts`);
  writeFileSync(file, `export const bugs = ${JSON.stringify(made)};\n`);
  return file;
}

const byName = (a: Bug, b: Bug): number => (a.name < b.name ? -1 : 1);
const madeUp = (bug: Partial<Bug>): Bug => ({
  name: 'made-up',
  breaks: names[0]!,
  why: 'made up',
  patches: [patch('passing(error);\n      if (attempt < attemptsMax)', 'passing(error);\n      if (attempt <= attemptsMax - 1)')],
  ...bug,
});

describe('a planted bug', () => {
  it('breaks its invariant: those whose turn it is, one of each invariant, or every one of them', { timeout: withinMs }, async () => {
    const choice = plantedFrom(process.env);
    // All of them are planted at night, with nothing else to do; others leave the second core to the tests beside them.
    const of = choice === 'all' ? 2 : choice === 'in-turn' ? turns.planted : 1;
    const asked = choice === 'all' ? [1, 2] : [choice === 'in-turn' ? turnOf(new Date(), turns.planted) : 1];
    const each = choice === 'all' ? [] : ['--one-each'];
    const shards = await Promise.all(asked.map((shard) => plant([...each, '--shard', `${shard}/${of}`])));
    const lines = shards.flatMap((shard) => shard.lines);
    expect(lines.filter(({ found }) => !found)).toEqual([]);
    const chosen = asked.flatMap((shard) => shardOf(choice === 'all' ? bugs : oneOfEach(bugs), shard, of));
    expect(lines.map(({ bug }) => bug).sort()).toEqual(chosen.map(({ name }) => name).sort());
    for (const { code, said } of shards) expect(code, said).toBe(0);
  });

  it('is not found when it is none', { timeout: 60_000 }, async () => {
    const { code, lines } = await plant(['--bugs', writtenBugs(madeUp({})), '--seeds', '1', '--only', 'made-up']);
    expect(lines.find(({ bug }) => bug === 'made-up')).toMatchObject({ histories: 1, first: {} });
    expect(code).toBe(1);
  });

  it('cannot be planted where its text no longer stands, stands twice, or is never loaded', { timeout: 60_000 }, async () => {
    const made = [
      madeUp({ name: 'gone', patches: [patch('a text that nobody wrote', '')] }),
      madeUp({ name: 'twice', patches: [patch('attempt', '')] }),
      madeUp({ name: 'aside', patches: [patch('value, undefined, 2', 'value, undefined, 3')] }),
    ];
    const { code, lines } = await plant(['--bugs', writtenBugs(...made), '--seeds', '1']);
    expect(lines.filter(({ bug }) => bug)).toEqual([
      { bug: 'gone', complaint: expect.stringContaining('stands 0 times') },
      { bug: 'twice', complaint: expect.stringMatching(/stands \d+ times in the code, in .*apply\.ts/) },
      { bug: 'aside', complaint: 'the bug aside is not planted: no history loads programs/cli/output/json.ts' },
    ]);
    expect(code).toBe(1);
  });
});

describe('a shard of the bugs', () => {
  it('has each bug once, those of one world and seed together, and about as many as any other', () => {
    const shards = [1, 2, 3].map((shard) => shardOf(bugs, shard, 3));
    expect(shards.flat().toSorted(byName)).toEqual(bugs.toSorted(byName));
    const places = shards.map((shard) => new Set(shard.map(({ foundIn }) => `${foundIn?.world} ${foundIn?.seed}`)));
    expect(places.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(places.flatMap((some) => [...some])).size);
    expect(Math.min(...shards.map(({ length }) => length))).toBeGreaterThan(bugs.length / 5);
  });
});

describe('one bug of each invariant', () => {
  it('is the one that is found soonest, and the first where none says so', () => {
    const [first, second, third, other] = [
      madeUp({ name: 'first' }),
      madeUp({ name: 'second', soonest: true }),
      madeUp({ name: 'third' }),
      madeUp({ name: 'other', breaks: names[1]! }),
    ];
    expect(oneOfEach([first, second, third, other])).toEqual([second, other]);
    expect(oneOfEach([first, third, other])).toEqual([first, other]);
  });

  it('is there for every one of them, and at most one of an invariant says that it is found soonest', () => {
    expect(new Set(oneOfEach(bugs).map(({ breaks }) => breaks))).toEqual(new Set(bugs.map(({ breaks }) => breaks)));
    const soonest = bugs.filter((bug) => bug.soonest).map(({ breaks }) => breaks);
    expect(soonest).toEqual([...new Set(soonest)]);
  });
});

describe('every bug', () => {
  it('replaces texts that stand once in the code, so that whoever changes one of these is told here', () => {
    expect(bugs.flatMap(({ name, patches }) => patches.flatMap((one) => missingOf(name, one)))).toEqual([]);
  });
});

/** What is wrong with a patch of a bug; nothing where its text stands once. */
function missingOf(name: string, one: Patch): string[] {
  try {
    fileOf(one);
    return [];
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
}

describe('every invariant', () => {
  it('has a bug that it finds, and every bug an invariant that finds it', () => {
    expect(misfits(bugs, names)).toEqual([]);
  });

  it('is missed when it is gone, and so is the last bug of one', () => {
    for (const name of names) {
      expect(
        misfits(
          bugs,
          names.filter((one) => one !== name),
        ).some((misfit) => misfit.includes(`breaks ${name}, and there is no such invariant`)),
        name,
      ).toBe(true);
      expect(
        misfits(
          bugs.filter(({ breaks }) => breaks !== name),
          names,
        ),
      ).toEqual([`no bug breaks the invariant ${name}: nobody knows whether it can fail`]);
    }
    for (const name of [sameHistory, endsInvariant])
      expect(
        misfits(
          bugs.filter(({ breaks }) => breaks !== name),
          names,
        ),
      ).toHaveLength(1);
    expect(misfits([...bugs, bugs[0]!], names)).toEqual([`there are two bugs called ${bugs[0]!.name}`]);
  });

  it('lets the program fail that plants bugs which name none', { timeout: 60_000 }, async () => {
    const { code, lines } = await plant(['--bugs', writtenBugs(madeUp({ breaks: 'nobody-promised-this' })), '--seeds', '1']);
    expect(lines.map(({ complaint }) => complaint)).toContain(
      'the bug made-up breaks nobody-promised-this, and there is no such invariant',
    );
    expect(code).toBe(1);
  });
});
