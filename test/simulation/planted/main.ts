import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { invariants } from '../invariants/index.ts';
import { runHistory } from '../run.ts';
import type { Bug } from './bug.ts';
import { misfits, oneOfEach, shardOf } from './registry.ts';
import { holdsWith, search } from './search.ts';

/*
 * Plants every bug in turn and runs histories until its invariant is violated: a line of JSON each, or what is wrong
 * with it. Exits with 1 unless all are found. `--only NAME,…` some of them, `--shard 1/2` about half of them,
 * `--seeds N` how many seeds are tried, `--bugs FILE` others than those of bugs.ts, `--one-each` the soonest found of
 * each invariant. `--anew` does not look where a bug was found before.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    seeds: { type: 'string', default: '40' },
    bugs: { type: 'string', default: resolve(import.meta.dirname, 'bugs.ts') },
    'one-each': { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
  },
});
const [shard, shards] = values.shard.split('/').map(Number) as [number, number];
const { bugs } = (await import(pathToFileURL(resolve(values.bugs)).href)) as { bugs: readonly Bug[] };
const only = values.only?.split(',');
const asked = values['one-each'] ? oneOfEach(bugs) : bugs;
const chosen = shardOf(only ? asked.filter(({ name }) => only.includes(name)) : asked, shard, shards);
const holds = holdsWith(runHistory);

const complaints = misfits(
  bugs,
  invariants.map(({ name }) => name),
);
for (const complaint of complaints) say({ complaint });
let found = 0;
for (const bug of chosen) {
  const startedAt = performance.now();
  try {
    const result = await search(values.anew ? withoutHistory(bug) : bug, Number(values.seeds), holds);
    if (result.found) found += 1;
    say({ ...result, ms: Math.round(performance.now() - startedAt) });
  } catch (error) {
    say({ bug: bug.name, complaint: error instanceof Error ? error.message : String(error) });
  }
}
process.exitCode = complaints.length === 0 && found === chosen.length ? 0 : 1;

function withoutHistory({ foundIn: _before, ...bug }: Bug): Bug {
  return bug;
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
