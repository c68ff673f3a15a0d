import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../lib/core/time.ts';
import { dueShardOf } from '../../../lib/ports/table/keys.ts';
import type { Change, Meter, Table } from '../../../lib/ports/table/table.ts';
import { aRow, check, noon, put } from '../../../tools/support/a-row.ts';
import { aRowOf } from '../../support/sized-row.ts';
import type { Opened } from './implementations.ts';

/** What an act added to the meter. */
async function charged(table: Table, act: () => Promise<unknown>): Promise<Meter> {
  const before = { ...table.meter };
  await act();
  const { readUnits, writeUnits, indexUnits, rowsWritten } = table.meter;
  return {
    readUnits: readUnits - before.readUnits,
    writeUnits: writeUnits - before.writeUnits,
    indexUnits: indexUnits - before.indexUnits,
    rowsWritten: rowsWritten - before.rowsWritten,
  };
}

const listed = { list: { pk: 'nodes', sk: 'n1' } };
const moved = { list: { pk: 'nodes', sk: 'n2' } };
const far = { edge: { pk: 'p'.repeat(1_500), sk: 's' } };
const other = (): Change => put(aRow({ pk: 'other' }));

/**
 * One write over what was there, and what it costs alone; in a transaction the table's part doubles and the indexes'
 * does not.
 */
const writes: readonly { what: string; from?: ReturnType<typeof aRow>; to: ReturnType<typeof aRow>; table: number; index: number }[] = [
  { what: 'a small new row', to: aRow(), table: 1, index: 0 },
  { what: 'a row of 1 KB', to: aRowOf(1_024), table: 1, index: 0 },
  { what: 'a row of a byte more', to: aRowOf(1_025), table: 2, index: 0 },
  { what: 'a small row over a large one', from: aRowOf(5_000), to: aRow(), table: 5, index: 0 },
  { what: 'a new row in two indexes', to: aRow({ ...listed, wakeAt: noon }), table: 1, index: 2 },
  { what: 'a row that stays where it is listed', from: aRow(listed), to: aRow({ ...listed, body: 'new' }), table: 1, index: 0 },
  { what: 'a row that moves in an index', from: aRow(listed), to: aRow(moved), table: 1, index: 2 },
  { what: 'a row that leaves an index', from: aRow(listed), to: aRow(), table: 1, index: 1 },
  { what: 'a row that is re-armed', from: aRow({ wakeAt: noon }), to: aRow({ wakeAt: plusMs(noon, 1) }), table: 1, index: 2 },
  { what: 'a row that moves from one index to another', from: aRow(listed), to: aRow({ edge: listed.list }), table: 1, index: 2 },
  { what: 'an index entry of more than 1 KB', to: aRow(far), table: 2, index: 2 },
  { what: 'such an entry that leaves', from: aRow(far), to: aRow(), table: 2, index: 2 },
];

/** Values whose size is worth a look: their bytes decide on which side of 1 KB a row falls. */
const values: readonly unknown[] = [
  ...[0, 1, 12, 123, -1, -12.5, 1.5, 0.05, 100.1, 1_000, 1e20, 1e-7, 1_767_268_800_000, Math.PI, -Number.MAX_SAFE_INTEGER],
  ...[null, true, '', 'größer 😀', new Uint8Array(5), [], {}, ['', 1], { a: '', b: [{ c: 5 }] }, { gone: undefined }],
];

/** Capacity units: every table counts what DynamoDB reports. */
export const units = (opened: () => Opened) => {
  const table = (): Table => opened().table;

  describe('units', () => {
    test.each(writes)('of writing $what', async ({ from, to, table: units, index }) => {
      if (from) await table().commit([put(from)]);
      const cost = await charged(table(), () => table().commit([put(to, from ? 1 : 0)]));
      expect(cost).toEqual({ readUnits: 0, writeUnits: units + index, indexUnits: index, rowsWritten: 1 });
    });

    test.each(writes)('of writing $what in a transaction', async ({ from, to, table: units, index }) => {
      if (from) await table().commit([put(from)]);
      const cost = await charged(table(), () => table().commit([put(to, from ? 1 : 0), other()]));
      expect(cost).toEqual({ readUnits: 0, writeUnits: 2 * units + index + 2, indexUnits: index, rowsWritten: 2 });
    });

    test('of a check: a transactional write of the row it looks at', async () => {
      await table().commit([put(aRowOf(3_000))]);
      const cost = await charged(table(), () => table().commit([check({}, 1), check({ pk: 'none' }, 0), other()]));
      expect(cost).toEqual({ readUnits: 0, writeUnits: 6 + 2 + 2, indexUnits: 0, rowsWritten: 1 });
      expect(await charged(table(), () => table().commit([check({}, 1)]))).toMatchObject({ writeUnits: 6, rowsWritten: 0 });
    });

    test('of what was refused are not counted', async () => {
      const refused = () => Promise.allSettled([table().commit([put(aRow(), 1)]), table().commit([put(aRow(), 1), other()])]);
      expect(await charged(table(), refused)).toEqual({ readUnits: 0, writeUnits: 0, indexUnits: 0, rowsWritten: 0 });
    });

    test('of reading: one for 4 KB, one for nothing, each row for itself when many are read', async () => {
      await table().commit([put(aRowOf(4_096, { sk: 'a' })), put(aRowOf(4_097, { sk: 'b' }))]);
      const [a, b, none] = ['a', 'b', 'none'].map((sk) => ({ pk: 'node#n1', sk }));
      expect(await charged(table(), () => table().read(a!))).toMatchObject({ readUnits: 1 });
      expect(await charged(table(), () => table().read(b!))).toMatchObject({ readUnits: 2 });
      expect(await charged(table(), () => table().read(none!))).toMatchObject({ readUnits: 1 });
      expect(await charged(table(), () => table().readMany([a!, b!, none!, a!]))).toMatchObject({ readUnits: 4 });
      expect(await charged(table(), () => table().readMany([a!, b!, none!, a!], 'lately'))).toMatchObject({ readUnits: 2 });
    });

    test('of querying: the rows of a page together', async () => {
      await table().commit(['a', 'b', 'c', 'd', 'e'].map((sk) => put(aRowOf(2_000, { sk }))));
      const query = (limit: number, pk = 'node#n1') => charged(table(), () => table().query({ pk, limit }));
      expect(await query(2)).toMatchObject({ readUnits: 1 });
      expect(await query(3)).toMatchObject({ readUnits: 2 });
      expect(await query(9)).toMatchObject({ readUnits: 3 });
      expect(await query(9, 'none')).toMatchObject({ readUnits: 1 });
    });

    test('of asking an index: its entries together, at half', async () => {
      const keys = Array.from({ length: 40 }, (_, n) => String(n).padStart(60, '0'));
      await table().commit(keys.map((sk) => put(aRow({ sk, list: { pk: 'l', sk }, wakeAt: noon }))));
      // An entry: pk 2 + 7, sk 2 + 60, lpk 3 + 1, lsk 3 + 60, which makes 138 B; 29 of them are within 4 KB.
      const list = (limit: number, pk = 'l') => charged(table(), () => table().queryIndex({ index: 'list', pk, limit }));
      expect(await list(29)).toMatchObject({ readUnits: 0.5 });
      expect(await list(30)).toMatchObject({ readUnits: 1 });
      expect(await list(9, 'none')).toMatchObject({ readUnits: 0.5 });
      expect(await charged(table(), () => table().due(dueShardOf(aRow().key), noon, 200))).toMatchObject({ readUnits: 0.5 });
    });

    test('of a question that no row can answer: none, because it is not asked', async () => {
      await table().commit([put(aRow({ sk: 'b', list: { pk: 'l', sk: 'b' } }))]);
      const questions = [{ from: 'b', to: 'a' }, { to: '' }, { to: 'b', after: 'b' }, { to: 'b', after: 'c' }];
      for (const question of questions) {
        expect(await charged(table(), () => table().query({ pk: 'node#n1', limit: 9, ...question }))).toMatchObject({ readUnits: 0 });
        const list = () => table().queryIndex({ index: 'list', pk: 'l', limit: 9, ...question });
        expect(await charged(table(), list)).toMatchObject({ readUnits: 0 });
      }
      const backwards = () => table().query({ pk: 'node#n1', limit: 9, from: 'b', after: 'b', descending: true });
      expect(await charged(table(), backwards)).toMatchObject({ readUnits: 0 });
    });

    test('count the bytes of every kind of value', async () => {
      const rows = values.flatMap((value, n) => [aRowOf(1_024, { value, pk: `exact-${n}` }), aRowOf(1_025, { value, pk: `over-${n}` })]);
      const costs: number[] = [];
      for (const row of rows) costs.push((await charged(table(), () => table().commit([put(row)]))).writeUnits);
      expect(costs).toEqual(values.flatMap(() => [1, 2]));
    });
  });
};
