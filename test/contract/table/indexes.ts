import { describe, expect, test } from 'vitest';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import { dueShardOf, dueShards } from '../../../lib/ports/table/keys.ts';
import { dueLimitMax, type IndexKey, type IndexQuery, type Key, type Table } from '../../../lib/ports/table/table.ts';
import { aRow, noon, put } from '../../../tools/support/a-row.ts';
import type { Opened } from './implementations.ts';

/** Every entry that an index has of a partition, page by page. */
async function entries(table: Table, query: IndexQuery): Promise<string[]> {
  const page = await table.queryIndex(query);
  expect(page.items.length).toBeLessThanOrEqual(query.limit);
  const found = page.items.map(({ key, sk }) => `${sk}→${key.pk}`);
  return page.next === undefined ? found : [...found, ...(await entries(table, { ...query, after: page.next }))];
}

/** The rows of all shards that are due, with the shard they were found in. */
async function dueOf(table: Table, now: EpochMs, limit = dueLimitMax): Promise<{ shard: number; key: Key }[]> {
  const shards = await Promise.all(Array.from({ length: dueShards }, (_, shard) => table.due(shard, now, limit)));
  return shards.flatMap((keys, shard) => keys.map((key) => ({ shard, key })));
}

/** The sparse indexes. */
export const indexes = (opened: () => Opened) => {
  const table = (): Table => opened().table;

  describe.each([
    { index: 'list', at: (key: IndexKey) => ({ list: key }) },
    { index: 'inverse', at: (key: IndexKey) => ({ edge: key }) },
  ] as const)('the $index index', ({ index, at }) => {
    test('finds rows in the order of their keys in it, in pages, and only those that stand in it', async () => {
      for (const sk of ['c', 'a', 'd', 'b']) await table().commit([put(aRow({ pk: `row-${sk}`, ...at({ pk: 'here', sk }) }))]);
      await table().commit([put(aRow({ pk: 'elsewhere', ...at({ pk: 'there', sk: 'b' }) })), put(aRow({ pk: 'nowhere' }))]);
      expect(await entries(table(), { index, pk: 'here', limit: 3 })).toEqual(['a→row-a', 'b→row-b', 'c→row-c', 'd→row-d']);
      expect(await entries(table(), { index, pk: 'here', limit: 1, from: 'b', to: 'c' })).toEqual(['b→row-b', 'c→row-c']);
      expect(await entries(table(), { index, pk: 'here', limit: 9, after: 'b' })).toEqual(['c→row-c', 'd→row-d']);
      expect(await entries(table(), { index, pk: 'here', limit: 9, after: 'a0', from: 'a', to: 'b' })).toEqual(['b→row-b']);
      expect(await entries(table(), { index, pk: 'here', limit: 9, from: 'd', to: 'a' })).toEqual([]);
      expect(await entries(table(), { index, pk: 'none', limit: 9 })).toEqual([]);
    });

    test('follows a row that moves, and forgets one that leaves', async () => {
      await table().commit([put(aRow({ pk: 'row', ...at({ pk: 'here', sk: 'a' }) }))]);
      await table().commit([put(aRow({ pk: 'row', ...at({ pk: 'there', sk: 'b' }) }), 1)]);
      expect(await entries(table(), { index, pk: 'here', limit: 9 })).toEqual([]);
      expect(await entries(table(), { index, pk: 'there', limit: 9 })).toEqual(['b→row']);
      await table().commit([put(aRow({ pk: 'row' }), 2)]);
      expect(await entries(table(), { index, pk: 'there', limit: 9 })).toEqual([]);
    });

    test('finds rows in as many partitions as there are', async () => {
      const keys = Array.from({ length: 30 }, (_, n) => ({ pk: `here-${n % 3}`, sk: String(n).padStart(2, '0') }));
      await table().commit(keys.map((key) => put(aRow({ pk: `row-${key.sk}`, ...at(key) }))));
      const expected = keys.filter(({ pk }) => pk === 'here-1').map(({ sk }) => `${sk}→row-${sk}`);
      expect(await entries(table(), { index, pk: 'here-1', limit: 4 })).toEqual(expected);
    });
  });

  describe('the due index', () => {
    test('finds rows that wake by now, each in the shard of its partition, the longest waiting first', async () => {
      const rows = Array.from({ length: 40 }, (_, n) => aRow({ pk: `node#${n}`, wakeAt: plusMs(noon, (n * 17) % 40) }));
      await table().commit(rows.map((row) => put(row)));
      await table().commit([put(aRow({ pk: 'sleeps' }))]);
      const due = await dueOf(table(), plusMs(noon, 19));
      const expected = Array.from({ length: dueShards }, (_, shard) =>
        rows
          .filter((row) => row.wakeAt! <= noon + 19 && dueShardOf(row.key) === shard)
          .sort((a, b) => a.wakeAt! - b.wakeAt!)
          .map(({ key }) => ({ shard, key })),
      ).flat();
      expect(due).toEqual(expected);
      expect(new Set(due.map(({ shard }) => shard)).size).toBe(dueShards);
    });

    test('hands out as many as asked for, at most 200 of a shard', async () => {
      const rows = Array.from({ length: 210 }, (_, n) => aRow({ pk: 'node#n1', sk: `s${n}`, wakeAt: plusMs(noon, n) }));
      for (let i = 0; i < rows.length; i += 100) await table().commit(rows.slice(i, i + 100).map((row) => put(row)));
      const keys = rows.map(({ key }) => key);
      expect((await dueOf(table(), plusMs(noon, 500), 3)).map(({ key }) => key)).toEqual(keys.slice(0, 3));
      expect((await dueOf(table(), plusMs(noon, 500), 1_000)).map(({ key }) => key)).toEqual(keys.slice(0, dueLimitMax));
    });

    test('follows a row that is re-armed, and forgets one that is not', async () => {
      await table().commit([put(aRow({ wakeAt: noon }))]);
      await table().commit([put(aRow({ wakeAt: plusMs(noon, 10) }), 1)]);
      expect(await dueOf(table(), plusMs(noon, 9))).toEqual([]);
      expect(await dueOf(table(), plusMs(noon, 10))).toHaveLength(1);
      await table().commit([put(aRow(), 2)]);
      expect(await dueOf(table(), plusMs(noon, 99))).toEqual([]);
    });
  });
};
