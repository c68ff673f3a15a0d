import { describe, expect, test } from 'vitest';
import { changesMax, commitBytesMax, keysMax, nestingMax, rowBytesMax } from '../../../lib/ports/table/limits.ts';
import type { Change, RowContent, Table } from '../../../lib/ports/table/table.ts';
import { aRow, check, put } from '../../../tools/support/a-row.ts';
import { aRowOf } from '../../support/sized-row.ts';
import type { Opened } from './implementations.ts';

/** `levels` lists within each other. */
const nested = (levels: number): unknown => (levels === 0 ? 'core' : [nested(levels - 1)]);

/** Sixteen rows that make up so many bytes together. */
const sixteen = (bytes: number): Change[] =>
  Array.from({ length: 16 }, (_, n) => put(aRowOf(n === 0 ? bytes - 15 * (commitBytesMax / 16) : commitBytesMax / 16, { sk: `s${n}` })));

/** What every table refuses, and with which code. */
export const refusals: readonly { what: string; code: string; changes: () => Change[] }[] = [
  { what: 'no change at all', code: 'table.too-large', changes: () => [] },
  { what: 'a hundred and one changes', code: 'table.too-large', changes: () => manyChanges(changesMax + 1) },
  { what: 'a row of a byte more than 400 KB', code: 'table.too-large', changes: () => [put(aRowOf(rowBytesMax + 1))] },
  { what: 'a byte more than 4 MB', code: 'table.too-large', changes: () => sixteen(commitBytesMax + 1) },
  { what: 'a partition key of 2,049 bytes', code: 'table.too-large', changes: () => [put(aRow({ pk: 'p'.repeat(2_049) }))] },
  { what: 'a sort key of 1,025 bytes', code: 'table.too-large', changes: () => [put(aRow({ sk: `${'é'.repeat(512)}s` }))] },
  { what: 'a check of a key too long', code: 'table.too-large', changes: () => [check({ sk: 's'.repeat(1_025) }, 0)] },
  { what: 'a list key too long', code: 'table.too-large', changes: () => [put(aRow({ list: { pk: 'l', sk: 's'.repeat(1_025) } }))] },
  { what: 'an edge key too long', code: 'table.too-large', changes: () => [put(aRow({ edge: { pk: 'p'.repeat(2_049), sk: 's' } }))] },
  { what: 'an empty partition key', code: 'table.not-storable', changes: () => [put(aRow({ pk: '' }))] },
  { what: 'an empty sort key', code: 'table.not-storable', changes: () => [put(aRow({ sk: '' }))] },
  { what: 'an empty list key', code: 'table.not-storable', changes: () => [put(aRow({ list: { pk: '', sk: 's' } }))] },
  { what: 'the same row twice', code: 'table.not-storable', changes: () => [put(aRow()), check({}, 0)] },
  { what: 'a number that is none', code: 'table.not-storable', changes: () => [put(aRow({ body: { load: Number.NaN } }))] },
  { what: 'a number out of range', code: 'table.not-storable', changes: () => [put(aRow({ body: [1e126] }))] },
  { what: 'a number too small', code: 'table.not-storable', changes: () => [put(aRow({ body: -1e-131 }))] },
  { what: 'lists nested too deep', code: 'table.not-storable', changes: () => [put(aRow({ body: nested(nestingMax + 1) }))] },
];

const allowances: readonly { what: string; rows: () => RowContent[] }[] = [
  { what: 'a row of 400 KB', rows: () => [aRowOf(rowBytesMax)] },
  { what: 'keys as long as keys may be', rows: () => [aRow({ pk: 'p'.repeat(2_048), sk: 's'.repeat(1_024) })] },
  { what: 'index keys as long as they may be', rows: () => [aRow({ edge: { pk: 'p'.repeat(2_048), sk: 's'.repeat(1_023) } })] },
  { what: 'the largest and the smallest numbers', rows: () => [aRow({ body: [9e125, -9e125, 1e-130, Number.MAX_SAFE_INTEGER] })] },
  { what: 'lists nested as deep as they may be', rows: () => [aRow({ body: nested(nestingMax) })] },
];

const manyChanges = (count: number): Change[] => Array.from({ length: count }, (_, n) => put(aRow({ pk: `p${n}` })));

/** What DynamoDB refuses, and what it just takes. */
export const limits = (opened: () => Opened) => {
  const table = (): Table => opened().table;

  describe('the limits of DynamoDB', () => {
    test.each(refusals)('refuse $what, and nothing is stored', async ({ code, changes }) => {
      await expect(table().commit(changes())).rejects.toMatchObject({ code, retry: 'never' });
      expect(table().meter).toMatchObject({ writeUnits: 0, rowsWritten: 0 });
      expect((await table().query({ pk: 'node#n1', limit: 1 })).items).toEqual([]);
    });

    test.each(allowances)('allow $what', async ({ rows }) => {
      await table().commit(rows().map((row) => put(row)));
      for (const row of rows()) expect(await table().read(row.key)).toStrictEqual({ ...row, rev: 1 });
    });

    test('allow 4 MB in one commit', async () => {
      await table().commit(sixteen(commitBytesMax));
      expect(table().meter.rowsWritten).toBe(16);
    });

    test('refuse to read more than a hundred rows at once', async () => {
      const keys = Array.from({ length: keysMax + 1 }, (_, n) => ({ pk: `p${n}`, sk: 's' }));
      await expect(table().readMany(keys)).rejects.toMatchObject({ code: 'table.too-large' });
    });
  });
};
