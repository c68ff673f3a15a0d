import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RowQuery, Table } from '../../../lib/ports/table/table.ts';
import { aRow, put } from '../../../tools/support/a-row.ts';
import type { Opened } from './implementations.ts';

/** Every sort key that a query finds, page by page. */
export async function sortKeys(table: Table, query: RowQuery): Promise<string[]> {
  const page = await table.query(query);
  expect(page.items.length).toBeLessThanOrEqual(query.limit);
  const found = page.items.map(({ key }) => key.sk);
  return page.next === undefined ? found : [...found, ...(await sortKeys(table, { ...query, after: page.next }))];
}

const stored = async (table: Table, keys: readonly string[]): Promise<void> => {
  for (const sk of keys) await table.commit([put(aRow({ pk: 'p', sk }))]);
};

/** Reading ranges of a partition. */
export const queries = (opened: () => Opened) => {
  const table = (): Table => opened().table;

  describe('a query', () => {
    test('finds the rows of its partition alone, whole and in the order of their sort keys', async () => {
      await stored(table(), ['c', 'a', 'b']);
      await table().commit([put(aRow({ pk: 'q', sk: 'a' }))]);
      const rows = ['a', 'b', 'c'].map((sk) => ({ ...aRow({ pk: 'p', sk }), rev: 1 }));
      expect((await table().query({ pk: 'p', limit: 10 })).items).toStrictEqual(rows);
      expect((await table().query({ pk: 'none', limit: 10 })).items).toEqual([]);
    });

    test('keeps to its range, both ends included', async () => {
      await stored(table(), ['a', 'b', 'c', 'd']);
      expect(await sortKeys(table(), { pk: 'p', from: 'b', to: 'c', limit: 10 })).toEqual(['b', 'c']);
      expect(await sortKeys(table(), { pk: 'p', from: 'b0', limit: 10 })).toEqual(['c', 'd']);
      expect(await sortKeys(table(), { pk: 'p', to: 'b0', limit: 10 })).toEqual(['a', 'b']);
      expect(await sortKeys(table(), { pk: 'p', from: 'b', to: 'c', limit: 1, descending: true })).toEqual(['c', 'b']);
      expect(await sortKeys(table(), { pk: 'p', from: 'c', to: 'b', limit: 10 })).toEqual([]);
      expect(await sortKeys(table(), { pk: 'p', from: '', to: '', limit: 10 })).toEqual([]);
    });

    test('goes on behind any key, whether or not a row has it or it lies in the range', async () => {
      await stored(table(), ['a', 'b', 'c', 'd']);
      const behind = (key: string, more: Partial<RowQuery> = {}) => sortKeys(table(), { pk: 'p', limit: 2, after: key, ...more });
      expect(await behind('b')).toEqual(['c', 'd']);
      expect(await behind('b0')).toEqual(['c', 'd']);
      expect(await behind('b', { descending: true })).toEqual(['a']);
      expect(await behind('a', { from: 'c' })).toEqual(['c', 'd']);
      expect(await behind('d', { to: 'c' })).toEqual([]);
      expect(await behind('d', { to: 'c', descending: true })).toEqual(['c', 'b', 'a']);
    });

    test('sorts by the bytes of UTF-8', async () => {
      await stored(table(), ['😀', '\uffee', 'z', 'é', 'Z']);
      expect(await sortKeys(table(), { pk: 'p', limit: 2 })).toEqual(['Z', 'z', 'é', '\uffee', '😀']);
      expect(await sortKeys(table(), { pk: 'p', from: 'é', to: '\uffee', limit: 2 })).toEqual(['é', '\uffee']);
    });

    test('hands out every row once, whatever the page size, the range and the direction', async () => {
      const all = Array.from({ length: 25 }, (_, n) => String(n).padStart(2, '0'));
      await stored(table(), all);
      const bound = fc.option(fc.constantFrom(...all), { nil: undefined });
      const asked = fc.record({ from: bound, to: bound, limit: fc.integer({ min: 1, max: 26 }), descending: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(asked, async ({ from, to, limit, descending }) => {
          const expected = all.filter((sk) => (from === undefined || sk >= from) && (to === undefined || sk <= to));
          const query = { pk: 'p', limit, descending, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
          expect(await sortKeys(table(), query)).toEqual(descending ? expected.reverse() : expected);
        }),
        { seed: 7, numRuns: 60 },
      );
    });

    test('hands out 1 MB at a time, and a row alone if need be', async () => {
      for (const sk of ['a', 'b', 'c', 'd', 'e']) await table().commit([put(aRow({ pk: 'p', sk, body: 'x'.repeat(380_000) }))]);
      const page = await table().query({ pk: 'p', limit: 10 });
      expect(page).toMatchObject({ items: [{ key: { sk: 'a' } }, { key: { sk: 'b' } }], next: 'b' });
      expect(await sortKeys(table(), { pk: 'p', limit: 10 })).toEqual(['a', 'b', 'c', 'd', 'e']);
    });
  });
};
