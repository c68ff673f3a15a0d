import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchOf, headOf } from '../../../lib/uyuni/outbox/batch.ts';
import { installationSql, triggers } from '../../../lib/uyuni/outbox/installation.ts';
import { type Entry, OutboxRow } from '../../../lib/uyuni/outbox/row.ts';
import { wantedColumns, watched } from '../../../lib/uyuni/outbox/watched.ts';

const aRow = (more: Partial<OutboxRow> = {}): OutboxRow => ({
  id: 1,
  xid: '700',
  kind: 'system',
  op: 'update',
  source: 'rhnserver',
  entries: [[1]],
  count: 1,
  digest: '1',
  why: null,
  ...more,
});

describe('a batch of changes', () => {
  it('has each kind once, and each thing once, with its name where one is known', () => {
    const rows = [
      aRow({ id: 4, entries: [[2], [1]] }),
      aRow({ id: 2, kind: 'channel', source: 'rhnchannel', entries: [[101, 'leap']] }),
      aRow({ id: 3, kind: 'channel', source: 'rhnchannelpackage', entries: [[101]], count: 5_000, digest: '-9' }),
      aRow({ id: 5, entries: [[2]] }),
    ];
    expect(batchOf(rows)).toEqual({
      rows: [4, 2, 3, 5],
      changes: [
        { kind: 'system', things: [[1], [2]] },
        { kind: 'channel', things: [[101, 'leap']], bulk: [{ source: 'rhnchannelpackage', op: 'update', count: 5_000, digest: '-9' }] },
      ],
    });
    expect(batchOf([])).toBeUndefined();
  });

  it('names no things where a row does not, and says everything alone where a row does', () => {
    expect(batchOf([aRow(), aRow({ id: 2, entries: null, count: 400 })])?.changes).toEqual([{ kind: 'system' }]);
    const whole = aRow({ id: 3, kind: 'everything', op: 'look', entries: null, count: null, digest: null, why: 'installed' });
    expect(batchOf([aRow(), whole, aRow({ id: 4, kind: 'user' })])).toEqual({
      rows: [1, 3, 4],
      changes: [{ kind: 'everything', why: 'installed' }],
    });
  });

  it('loses no row and no thing, and never names more than a report carries', () => {
    const entry: fc.Arbitrary<Entry> = fc.oneof(fc.tuple(fc.nat(400)), fc.tuple(fc.nat(400), fc.constantFrom('a', 'b')));
    const row = fc
      .record({ kind: fc.constantFrom('system' as const, 'group' as const), entries: fc.option(fc.array(entry, { maxLength: 100 })) })
      .map((more) => aRow(more));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (made) => {
        const rows = made.map((one, n) => ({ ...one, id: n + 1 }));
        const head = headOf(rows);
        const batch = batchOf(head)!;
        expect(head).toEqual(rows.slice(0, head.length));
        expect(batch.rows).toEqual(head.map(({ id }) => id));
        const named = batch.changes.reduce((sum, { things = [] }) => sum + things.length, 0);
        expect(named).toBeLessThanOrEqual(1_000);
        for (const { kind, entries } of head) {
          const change = batch.changes.find((one) => one.kind === kind)!;
          const ids = change.things?.map(([id]) => id);
          for (const [id] of entries ?? []) expect(ids === undefined || ids.includes(id)).toBe(true);
        }
      }),
    );
  });
});

describe('what is watched', () => {
  it('is written down once, in names that need no quotes', () => {
    const plain = /^[a-z][a-z0-9_]{0,40}$/;
    for (const [table, columns] of wantedColumns()) {
      expect(table).toMatch(plain);
      for (const column of columns) expect(column).toMatch(plain);
    }
    expect(new Set(watched.map(({ table, kind }) => `${table} ${kind}`)).size).toBe(watched.length);
    expect(triggers()).toHaveLength(4 * watched.length);
  });

  it('is installed by statements that are the same each time', () => {
    expect(installationSql()).toBe(installationSql());
    expect(installationSql({ bytesMax: 77 })).toContain("pg_relation_size('muster.outbox') > 77");
  });

  it('is read as it is written', () => {
    expect(OutboxRow.safeParse(aRow({ entries: [[1, 'a'], [2]] })).success).toBe(true);
    expect(OutboxRow.safeParse({ ...aRow(), kind: 'unheard-of' }).success).toBe(false);
  });
});
