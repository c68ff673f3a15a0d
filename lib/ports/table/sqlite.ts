import type { DatabaseSync } from 'node:sqlite';
import type { EpochMs } from '../../core/time.ts';
import type { GroupCommit } from '../sqlite/group.ts';
import { type Attributes, rowOf } from './attributes.ts';
import type { FileFeed } from './file-feed.ts';
import { parseAttributes, printAttributes } from './json.ts';
import { type Admitted, admit, distinctKeys, refuseMoved } from './limits.ts';
import { type Charged, entrySize, meterCommit, meterRead, newMeter } from './meter.ts';
import { isOver, remaining } from './order.ts';
import { fillPage, type Sized } from './page.ts';
import { type IndexSchema, indexSchema } from './schema.ts';
import {
  dueLimitMax,
  type IndexEntry,
  type IndexQuery,
  type Key,
  type Meter,
  nameOf,
  type Reading,
  type Row,
  type RowQuery,
  removableAt,
  type Table,
} from './table.ts';

/** The table of an embedded deployment, which removes expired rows itself because no service does. */
export type SqliteTable = Table & {
  /** Removes up to `limit` rows that may be removed by `now`, the longest waiting first; gives their number. */
  removeExpired(now: EpochMs, limit: number): Promise<number>;
};

/** The table in a state file. */
export function sqliteTable(db: DatabaseSync, group: GroupCommit, feed: FileFeed): SqliteTable {
  const meter = newMeter();
  return { meter, ...rowReads(db, meter), ...indexReads(db, meter), ...writes(db, meter, group, feed) };
}

/** Sorts behind every text, as every blob does in SQLite: the end of an open range. */
const lastOfAll = new Uint8Array([0xff]);

function rowReads(db: DatabaseSync, meter: Meter): Pick<Table, 'read' | 'readMany' | 'query'> {
  const one = db.prepare('SELECT bytes, attributes FROM rows WHERE pk = ? AND sk = ?');
  const page = (order: string) =>
    db.prepare(
      `SELECT sk, bytes, attributes AS item FROM rows WHERE pk = ? AND sk >= ? AND sk <= ? AND sk <> ? ORDER BY sk ${order} LIMIT ?`,
    );
  const [ascending, descending] = [page('ASC'), page('DESC')];
  const read = ({ pk, sk }: Key, how: Reading = 'now'): Row | undefined => {
    const found = one.get(pk, sk) as { bytes: number; attributes: string } | undefined;
    meterRead(meter, found?.bytes ?? 0, how === 'now');
    return found && rowOf(parseAttributes(found.attributes));
  };
  return {
    read: async (key) => read(key),
    readMany: async (keys, how) => {
      const found = new Map([...distinctKeys(keys)].map(([name, key]) => [name, read(key, how)]));
      return keys.map((key) => found.get(nameOf(key)));
    },
    query: async (query) => {
      if (isOver(query, query.after, query.descending)) return { items: [] };
      const found = (query.descending ? descending : ascending).iterate(...boundsOf(query)) as Iterable<Sized<string>>;
      const { page, bytes } = fillPage(found, query.limit);
      meterRead(meter, bytes, true);
      return { ...page, items: page.items.map((text) => rowOf(parseAttributes(text))) };
    },
  };
}

/**
 * The parameters of a page's statement: its partition, its closed range, the key to leave out, and one more row than
 * fits, which shows whether more follow.
 */
function boundsOf(query: RowQuery | IndexQuery): [string, string, string | Uint8Array, string, number] {
  const { from, to } = remaining(query, query.after, 'descending' in query && query.descending);
  return [query.pk, from ?? '', to ?? lastOfAll, query.after ?? '', query.limit + 1];
}

function indexReads(db: DatabaseSync, meter: Meter): Pick<Table, 'queryIndex' | 'due'> {
  const page = ({ partitionKey: { name: partition }, sortKey: { name: sort } }: IndexSchema) =>
    db.prepare(
      `SELECT pk, sk, ${partition}, ${sort} FROM rows
        WHERE ${partition} = ? AND ${sort} >= ? AND ${sort} <= ? AND ${sort} <> ? ORDER BY ${sort}, pk, sk LIMIT ?`,
    );
  const pages = { list: page(indexSchema('list')), inverse: page(indexSchema('inverse')) };
  const due = db.prepare('SELECT pk, sk, due, wakeAt FROM rows WHERE due = ? AND wakeAt <= ? ORDER BY wakeAt LIMIT ?');
  return {
    queryIndex: async (query) => {
      if (isOver(query, query.after)) return { items: [] };
      const schema = indexSchema(query.index);
      const found = (pages[query.index].all(...boundsOf(query)) as Attributes[]).map((keys) => entryOf(keys, schema));
      const { page, bytes } = fillPage(found, query.limit);
      meterRead(meter, bytes, false);
      return page;
    },
    due: async (shard, now, limit) => {
      const found = (due.all(shard, now, Math.min(limit, dueLimitMax)) as Attributes[]).map((keys) => entryOf(keys, indexSchema('due')));
      meterRead(
        meter,
        found.reduce((sum, { bytes }) => sum + bytes, 0),
        false,
      );
      return found.map(({ item }) => item.key);
    },
  };
}

function entryOf(keys: Attributes, schema: IndexSchema): Sized<IndexEntry> {
  const sk = String(keys[schema.sortKey.name]);
  return { sk, item: { key: { pk: keys['pk'] as string, sk: keys['sk'] as string }, sk }, bytes: entrySize(schema, keys) };
}

type Printed = Admitted & { readonly text: string };

function writes(db: DatabaseSync, meter: Meter, group: GroupCommit, feed: FileFeed): Pick<SqliteTable, 'commit' | 'removeExpired'> {
  const before = db.prepare('SELECT pk, sk, rev, bytes, due, wakeAt, lpk, lsk, ipk, isk, expiresAt FROM rows WHERE pk = ? AND sk = ?');
  const expire = db.prepare('DELETE FROM rows WHERE rowid IN (SELECT rowid FROM rows WHERE expiresAt <= ? ORDER BY expiresAt LIMIT ?)');
  const store = storing(db);
  const carryOut = (changes: readonly Printed[]): readonly Charged[] => {
    const stored = changes.map(({ key }) => before.get(key.pk, key.sk) as Stored | undefined);
    refuseMoved(
      changes,
      stored.map((row) => row?.rev ?? 0),
    );
    for (const [n, { key, readRev, put, text }] of changes.entries()) {
      if (!put) continue;
      store({ key, rev: readRev + 1, ...put, text }, stored[n]);
      if (emits(put.attributes)) feed.append(put.attributes['at'] as EpochMs, text);
    }
    return changes.map((change, n) => chargeOf(stored[n], change));
  };
  return {
    commit: async (changes) => {
      // Printed before anything waits: later changes by the caller to its objects are not stored.
      const printed = admit(changes).map((change) => ({ ...change, text: change.put ? printAttributes(change.put.attributes) : '' }));
      meterCommit(meter, await group.run(() => carryOut(printed)));
      if (printed.some(({ put }) => put && emits(put.attributes))) feed.announce();
    },
    removeExpired: (now, limit) => group.run(() => Number(expire.run(now, limit).changes)),
  };
}

type Stored = Attributes & { readonly rev: number; readonly bytes: number };

const emits = (attributes: Attributes): boolean => attributes['emits'] !== undefined;

const chargeOf = (stored: Stored | undefined, { put }: Admitted): Charged => ({
  before: stored && { bytes: stored.bytes, keys: stored },
  ...(put && { after: { bytes: put.bytes, keys: put.attributes } }),
});

/** The columns of indexes, with attributes of the same name, by which rows can be found besides their key. */
const indexed = ['due', 'wakeAt', 'lpk', 'lsk', 'ipk', 'isk'] as const;

/** A row to store: `bytes` as they were counted, `text` as its attributes were printed. */
type Storable = { readonly key: Key; readonly rev: number; readonly attributes: Attributes; readonly bytes: number; readonly text: string };

/**
 * Stores a row under its key, and replaces any that is there. `before`: the columns of the row that is there, where
 * they were read.
 */
export function storing(db: DatabaseSync): (row: Storable, before?: Attributes) => void {
  // Rows are removed by the column `expiresAt`.
  const changing = ['rev', 'bytes', 'attributes', 'expiresAt', ...indexed];
  const put = db.prepare(
    `INSERT INTO rows (pk, sk, ${changing.join()}) VALUES (?, ?, ${changing.map(() => '?').join()})
      ON CONFLICT DO UPDATE SET ${changing.map((column) => `${column} = excluded.${column}`).join()}`,
  );
  // SQLite writes an index anew wherever a column of it is set, also to what it is.
  const inPlace = db.prepare('UPDATE rows SET rev = ?, bytes = ?, attributes = ? WHERE pk = ? AND sk = ?');
  return ({ key: { pk, sk }, rev, attributes, bytes, text }, before) => {
    const expiresAt = removableAt(rowOf(attributes)) ?? null;
    const keys = indexed.map((name) => (attributes[name] ?? null) as string | number | null);
    const isInPlace = before?.['expiresAt'] === expiresAt && indexed.every((name, n) => before[name] === keys[n]);
    if (isInPlace) inPlace.run(rev, bytes, text, pk, sk);
    else put.run(pk, sk, rev, bytes, text, expiresAt, ...keys);
  };
}
