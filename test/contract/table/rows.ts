import { describe, expect, test } from 'vitest';
import { Conflict } from '../../../lib/core/errors.ts';
import { plusMs } from '../../../lib/core/time.ts';
import type { Change, Table } from '../../../lib/ports/table/table.ts';
import { anEvent, aRow, check, noon, put } from '../../../tools/support/a-row.ts';
import type { Opened } from './implementations.ts';

/** The row that refused a commit. */
export const refusedRow = (commit: Promise<void>): Promise<string> =>
  commit.then(
    () => 'none refused',
    (error) => {
      if (error instanceof Conflict) return error.row;
      throw error;
    },
  );

/** Reading and writing single rows. */
export const rows = (opened: () => Opened) => {
  const table = (): Table => opened().table;

  describe('a row', () => {
    test('that never was reads as undefined', async () => {
      expect(await table().read({ pk: 'node#n1', sk: 'node' })).toBeUndefined();
    });

    test('reads back whole, with its revision', async () => {
      const row = aRow({
        body: {
          text: 'größer 😀',
          bytes: new Uint8Array([0, 127, 255]),
          list: [1, -2.5, null, true, { deep: '' }],
          empty: {},
          $b: 'AA==',
          $$: 1,
        },
        events: [anEvent(6), anEvent(7)],
        eventSeq: 7,
        wakeAt: plusMs(noon, 1),
        expiresAt: plusMs(noon, 2),
        gone: true,
        actor: { who: 'admin:anna', key: 'k1', source: '192.0.2.7', request: 'call-1' },
        changed: ['text', 'list'],
        list: { pk: 'nodes#default', sk: 'n1' },
        edge: { pk: 'fqdn#a', sk: 'n1' },
      });
      await table().commit([put(row)]);
      expect(await table().read(row.key)).toStrictEqual({ ...row, rev: 1 });
    });

    test('keeps no undefined members, and nothing that its writer or reader does to the object later', async () => {
      const body = { kept: [1], dropped: undefined };
      const written = table().commit([put(aRow({ body }))]);
      body.kept.push(2);
      await written;
      const read = (await table().read(aRow().key))?.body as { kept: number[] };
      read.kept.push(3);
      expect((await table().read(aRow().key))?.body).toStrictEqual({ kept: [1] });
    });

    test('is stored once: the second who found none is refused', async () => {
      await table().commit([put(aRow({ by: 'first' }))]);
      expect(await refusedRow(table().commit([put(aRow({ by: 'second' }))]))).toBe('node#n1|node');
      expect(await table().read(aRow().key)).toMatchObject({ by: 'first', rev: 1 });
    });

    test('moves on from the revision that was read, and from no other', async () => {
      await table().commit([put(aRow())]);
      await table().commit([put(aRow({ by: 'second' }), 1)]);
      for (const readRev of [0, 1, 3]) expect(await refusedRow(table().commit([put(aRow({ by: 'late' }), readRev)]))).toBe('node#n1|node');
      expect(await table().read(aRow().key)).toMatchObject({ by: 'second', rev: 2 });
    });

    test('that is gone or has expired is still read and still counts its revisions', async () => {
      await table().commit([put(aRow({ gone: true, expiresAt: plusMs(noon, -1) }))]);
      expect(await table().read(aRow().key)).toMatchObject({ gone: true, rev: 1 });
      expect((await table().query({ pk: 'node#n1', limit: 5 })).items).toHaveLength(1);
      await table().commit([put(aRow(), 1)]);
      expect(await table().read(aRow().key)).toStrictEqual({ ...aRow(), rev: 2 });
    });

    test('goes to one of fifty who claim it at once', async () => {
      const claims = Array.from({ length: 50 }, (_, n) => refusedRow(table().commit([put(aRow({ by: `claim-${n}` }))])));
      const answers = await Promise.all(claims);
      expect(answers.filter((answer) => answer === 'none refused')).toHaveLength(1);
      expect(await table().read(aRow().key)).toMatchObject({ by: `claim-${answers.indexOf('none refused')}`, rev: 1 });
    });

    test('goes to one of fifty whose transactions claim it at once, and the others leave nothing behind', async () => {
      const claim = (n: number): Change[] => [put(aRow({ pk: `fqdn#${n}`, sk: 'fqdn' })), put(aRow({ by: `claim-${n}` }))];
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => refusedRow(table().commit(claim(n)))));
      const left = await table().readMany(answers.map((_, n) => ({ pk: `fqdn#${n}`, sk: 'fqdn' })));
      expect(answers.filter((answer) => answer === 'none refused')).toHaveLength(1);
      expect(left.map((row) => row !== undefined)).toEqual(answers.map((answer) => answer === 'none refused'));
    });
  });

  describe('several rows', () => {
    test('are read in the order asked for, with a hole for what never was and again for what is asked again', async () => {
      await table().commit([put(aRow({ pk: 'a' })), put(aRow({ pk: 'b' }))]);
      const keys = ['b', 'none', 'a', 'b'].map((pk) => ({ pk, sk: 'node' }));
      expect((await table().readMany(keys)).map((row) => row?.key.pk)).toEqual(['b', undefined, 'a', 'b']);
      expect(await table().readMany([])).toEqual([]);
    });

    test('are stored all or not at all, and the refusal names the first one that had moved', async () => {
      await table().commit([put(aRow({ pk: 'b' })), put(aRow({ pk: 'c' }))]);
      const changes = ['a', 'b', 'c', 'd'].map((pk) => put(aRow({ pk, by: 'late' })));
      expect(await refusedRow(table().commit(changes))).toBe('b|node');
      const keys = ['a', 'b', 'c', 'd'].map((pk) => ({ pk, sk: 'node' }));
      expect((await table().readMany(keys)).map((row) => row?.by)).toEqual([undefined, 'input-1', 'input-1', undefined]);
    });

    test('can be as many as a hundred in one commit and in one reading', async () => {
      const keys = Array.from({ length: 100 }, (_, n) => ({ pk: `p${n}`, sk: 's' }));
      await table().commit(keys.map((key) => put(aRow(key))));
      expect((await table().readMany(keys)).map((row) => row?.key)).toEqual(keys);
    });
  });

  describe('a check', () => {
    test('lets a commit through while the row is where it was read, and writes nothing to it', async () => {
      await table().commit([put(aRow({ pk: 'zone' }))]);
      await table().commit([check({ pk: 'zone' }, 1), put(aRow()), check({ pk: 'none' }, 0)]);
      expect(await table().read({ pk: 'zone', sk: 'node' })).toMatchObject({ rev: 1 });
      expect(await table().read(aRow().key)).toMatchObject({ rev: 1 });
      await table().commit([check({ pk: 'zone' }, 1)]);
    });

    test('refuses the whole commit once the row has moved, has come, or has never been', async () => {
      await table().commit([put(aRow({ pk: 'zone' }))]);
      for (const [pk, readRev] of [
        ['zone', 2],
        ['zone', 0],
        ['none', 1],
      ] as const)
        expect(await refusedRow(table().commit([put(aRow()), check({ pk }, readRev)]))).toBe(`${pk}|node`);
      expect(await refusedRow(table().commit([check({ pk: 'zone' }, 2)]))).toBe('zone|node');
      expect(await table().read(aRow().key)).toBeUndefined();
    });
  });
};
