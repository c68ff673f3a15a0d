import { describe, expect, test } from 'vitest';
import { historyForMs } from '../../../lib/core/history.ts';
import { plusMs } from '../../../lib/core/time.ts';
import { anEvent, aRow, noon, put } from '../../../tools/support/a-row.ts';
import type { Opened } from './implementations.ts';

/** What only tables in our own process do: DynamoDB's stream and time to live are the service's part. */
export const ownProcess = (opened: () => Opened) => {
  const offsets = async () => (await opened().feed!()).map(({ row }) => `${row.key.pk}@${row.rev}`);

  describe('the feed', () => {
    test('has every emitting commit in order, each with its row as it was then', async () => {
      const { table, feed } = opened();
      const first = aRow({ pk: 'a', events: [anEvent(1)], eventSeq: 1, body: { n: 1 } });
      await table.commit([put(first), put(aRow({ pk: 'silent' })), put(aRow({ pk: 'b', events: [anEvent(1)], eventSeq: 1 }))]);
      await table.commit([put(aRow({ pk: 'a', events: [anEvent(2)], eventSeq: 2, body: { n: 2 } }), 1)]);
      await table.commit([put(aRow({ pk: 'a', eventSeq: 2 }), 2)]);
      expect(await offsets()).toEqual(['a@1', 'b@1', 'a@2']);
      expect((await feed!())[0]).toStrictEqual({ offset: '1', row: { ...first, rev: 1 } });
    });

    test('has a commit without events that is put down to somebody, and none that is put down to a machine', async () => {
      const by = (who: string) => ({ actor: { who, source: '192.0.2.7', request: 'call-1' } });
      await opened().table.commit([put(aRow({ pk: 'a', ...by('admin:anna') })), put(aRow({ pk: 'b', ...by('node:n1') }))]);
      expect(await offsets()).toEqual(['a@1']);
    });

    test('has every commit of the row of a client system, also where it ends, and none of the rows beside it', async () => {
      const { table } = opened();
      const client = (more = {}) => aRow({ pk: 'client#c1', sk: 'client', ...more });
      await table.commit([put(client()), put(aRow({ pk: 'client#c1', sk: 'metadata#pillar#0000000000' }))]);
      await table.commit([put(client({ actor: { who: 'client:c1', source: '192.0.2.7', request: 'call-1' } }), 1)]);
      await table.commit([put(client({ gone: true, expiresAt: plusMs(noon, 1) }), 2)]);
      expect(await offsets()).toEqual(['client#c1@1', 'client#c1@2', 'client#c1@3']);
    });

    test('has nothing of a commit that was refused', async () => {
      const emitting = (pk: string) => aRow({ pk, events: [anEvent(1)], eventSeq: 1 });
      await opened().table.commit([put(emitting('a'))]);
      await Promise.allSettled([
        opened().table.commit([put(emitting('b')), put(emitting('a'))]),
        opened().table.commit([put(emitting('a'), 7)]),
      ]);
      expect(await offsets()).toEqual(['a@1']);
    });
  });

  describe('rows that expired', () => {
    test('are removed with their index entries, and their revisions begin anew', async () => {
      const { table, removeExpired } = opened();
      const listed = { list: { pk: 'l', sk: 's' } };
      await table.commit([
        put(aRow({ pk: 'early', ...listed, expiresAt: noon })),
        put(aRow({ pk: 'late', expiresAt: plusMs(noon, 1) })),
        put(aRow({ pk: 'never' })),
      ]);
      expect(await removeExpired!(noon, 10)).toBe(1);
      const left = await table.readMany(['early', 'late', 'never'].map((pk) => ({ pk, sk: 'node' })));
      expect(left.map((row) => row?.rev)).toEqual([undefined, 1, 1]);
      expect((await table.queryIndex({ index: 'list', pk: 'l', limit: 1 })).items).toEqual([]);
      await table.commit([put(aRow({ pk: 'early' }))]);
    });

    test('are kept as long as their history when they had events, so that the numbers of those go on', async () => {
      const { table, removeExpired } = opened();
      await table.commit([put(aRow({ expiresAt: noon, events: [anEvent(1)], eventSeq: 1 }))]);
      expect(await removeExpired!(plusMs(noon, historyForMs - 1), 10)).toBe(0);
      expect(await table.read(aRow().key)).toMatchObject({ rev: 1, eventSeq: 1, expiresAt: noon });
      expect(await removeExpired!(plusMs(noon, historyForMs), 10)).toBe(1);
    });

    test('are removed as many at once as asked for, the longest expired first', async () => {
      const { table, removeExpired } = opened();
      await table.commit([3, 1, 2].map((n) => put(aRow({ pk: `p${n}`, expiresAt: plusMs(noon, n) }))));
      expect(await removeExpired!(plusMs(noon, 9), 2)).toBe(2);
      expect(await table.read({ pk: 'p3', sk: 'node' })).toBeDefined();
      expect(await removeExpired!(plusMs(noon, 9), 2)).toBe(1);
      expect(await removeExpired!(plusMs(noon, 9), 2)).toBe(0);
    });
  });
};
