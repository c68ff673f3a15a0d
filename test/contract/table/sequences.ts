import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import { memoryTable } from '../../../lib/ports/table/memory.ts';
import type { Change, Table } from '../../../lib/ports/table/table.ts';
import { aRow, check, noon, put } from '../../../tools/support/a-row.ts';
import type { Opened } from './implementations.ts';
import { refusedRow } from './rows.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const few = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

/** One wished change; `stale` asks for a revision that the row is not at. */
const wish = fc.record({
  pk: fc.constantFrom(...names),
  does: fc.constantFrom('put', 'put', 'put', 'check'),
  stale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  size: fc.integer({ min: 0, max: 3_000 }),
  wakeAfterMs: few(0, 1, 2),
  listedAt: few('x', 'y'),
  pointsAt: few('x', 'y'),
  gone: fc.boolean(),
});
type Wish = typeof wish extends fc.Arbitrary<infer W> ? W : never;

const sequence = fc.array(fc.uniqueArray(wish, { minLength: 1, maxLength: 4, selector: ({ pk }) => pk }), { minLength: 1, maxLength: 12 });

function changeOf({ pk, does, stale, size, wakeAfterMs, listedAt, pointsAt, gone }: Wish, rev: number): Change {
  const readRev = stale ? rev + 1 : rev;
  if (does === 'check') return check({ pk }, readRev);
  const row = aRow({
    pk,
    body: { text: 'x'.repeat(size), bytes: new Uint8Array(size % 7) },
    ...(wakeAfterMs !== undefined && { wakeAt: plusMs(noon, wakeAfterMs) }),
    ...(listedAt && { list: { pk: listedAt, sk: pk } }),
    ...(pointsAt && { edge: { pk: pointsAt, sk: pk } }),
    ...(gone && { gone: true as const }),
  });
  return put(row, readRev);
}

/** Everything that can be asked of a table, as its readers see it. */
const stateOf = async (table: Table) => ({
  rows: await table.readMany(names.map((pk) => ({ pk, sk: 'node' }))),
  list: await Promise.all(['x', 'y'].map((pk) => table.queryIndex({ index: 'list', pk, limit: 9 }))),
  inverse: await Promise.all(['x', 'y'].map((pk) => table.queryIndex({ index: 'inverse', pk, limit: 9 }))),
  due: await Promise.all(
    [0, 1, 2, 3].map(async (shard) => [...(await table.due(shard, plusMs(noon, 1) as EpochMs, 9))].map(({ pk }) => pk).sort()),
  ),
});

/**
 * Commits what is wished, one commit after the other, and keeps its own list of revisions, which says how each must
 * end.
 */
async function tell(commits: readonly (readonly Wish[])[], tables: readonly Table[]): Promise<ReadonlyMap<string, number>> {
  const revs = new Map<string, number>();
  for (const wishes of commits) {
    const changes = wishes.map((each) => changeOf(each, revs.get(each.pk) ?? 0));
    const stale = wishes.find((each) => each.stale);
    for (const table of tables) expect(await refusedRow(table.commit(changes))).toBe(stale ? `${stale.pk}|node` : 'none refused');
    if (!stale) for (const { pk } of wishes.filter(({ does }) => does === 'put')) revs.set(pk, (revs.get(pk) ?? 0) + 1);
  }
  return revs;
}

/** Long stories: every table ends where the simplest one does, row by row, index by index, and at the same cost. */
export const sequences = (open: () => Promise<Opened>) => {
  describe('any sequence of commits', () => {
    test('is answered as a list of revisions would, and ends in the state and at the cost of a table in memory', async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async (commits) => {
          const { table } = await open();
          const reference = memoryTable();
          const revs = await tell(commits, [table, reference]);
          const state = await stateOf(table);
          expect(state.rows.map((row) => row?.rev ?? 0)).toEqual(names.map((pk) => revs.get(pk) ?? 0));
          expect(state).toStrictEqual(await stateOf(reference));
          expect(table.meter).toEqual(reference.meter);
        }),
        { seed: 42, numRuns: 40 },
      );
    });
  });
};
