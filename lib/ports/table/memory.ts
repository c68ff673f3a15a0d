import type { EpochMs } from '../../core/time.ts';
import { rowOf } from './attributes.ts';
import { copyAttributes, copyStored } from './json.ts';
import { type Admitted, admit, distinctKeys, refuseMoved } from './limits.ts';
import { type MemoryRows, memoryRows } from './memory-rows.ts';
import { type Charged, entrySize, meterCommit, meterRead, newMeter } from './meter.ts';
import { isOver } from './order.ts';
import { cutPage, type Sized } from './page.ts';
import { type IndexName, indexSchema } from './schema.ts';
import {
  dueLimitMax,
  type FeedImage,
  type IndexEntry,
  isEmitted,
  type Key,
  type Meter,
  nameOf,
  type Reading,
  type Row,
  removableAt,
  type Table,
} from './table.ts';

/** A table in memory. Tests and the simulation can also read all rows, and every emitting commit so far. */
export type MemoryTable = Table & {
  readonly rows: ReadonlyMap<string, Row>;
  readonly feed: readonly FeedImage[];
  /**
   * Removes up to `limit` rows that may be removed by `now`, as time to live does, the longest waiting first; gives
   * their number.
   */
  removeExpired(now: EpochMs, limit: number): Promise<number>;
};

/**
 * A whole table in Maps: the same contract as DynamoDB. `stored` are its first rows, such as the `rows` of another
 * table.
 */
export function memoryTable(stored: ReadonlyMap<string, Row> = new Map()): MemoryTable {
  const meter = newMeter();
  const feed: FeedImage[] = [];
  const rows = memoryRows(stored.values());
  return {
    rows: rows.all,
    feed,
    meter,
    ...rowReads(rows, meter),
    ...indexReads(rows, meter),
    commit: async (changes) => {
      const admitted = admit(changes);
      const before = admitted.map(({ key }) => rows.get(key));
      refuseMoved(
        admitted,
        before.map((row) => row?.rev ?? 0),
      );
      meterCommit(
        meter,
        admitted.map((change, n) => chargeOf(rows, before[n], change)),
      );
      for (const { put } of admitted) {
        if (!put) continue;
        const keys = copyAttributes(put.attributes);
        const row = rowOf(keys);
        rows.put(row, { bytes: put.bytes, keys });
        if (isEmitted(row)) feed.push({ offset: String(feed.length + 1), row: copyStored(row) });
      }
    },
    removeExpired: async (now, limit) => {
      const expired = [...rows.all.values()]
        .map((row) => ({ row, at: removableAt(row) ?? Number.POSITIVE_INFINITY }))
        .filter(({ at }) => at <= now)
        .sort((a, b) => a.at - b.at)
        .slice(0, limit);
      for (const { row } of expired) rows.remove(row);
      return expired.length;
    },
  };
}

function rowReads(rows: MemoryRows, meter: Meter): Pick<Table, 'read' | 'readMany' | 'query'> {
  const read = (key: Key, how: Reading = 'now'): Row | undefined => {
    const row = rows.get(key);
    meterRead(meter, row ? rows.footprintOf(row).bytes : 0, how === 'now');
    return row && copyStored(row);
  };
  return {
    read: async (key) => read(key),
    readMany: async (keys, how) => {
      const found = new Map([...distinctKeys(keys)].map(([name, key]) => [name, read(key, how)]));
      return keys.map((key) => found.get(nameOf(key)));
    },
    query: async (query) => {
      if (isOver(query, query.after, query.descending)) return { items: [] };
      const found = rows
        .group('table', query.pk)
        .map((row): Sized<Row> => ({ sk: row.key.sk, item: row, bytes: rows.footprintOf(row).bytes }));
      const { page, bytes } = cutPage(found, query);
      meterRead(meter, bytes, true);
      return { ...page, items: page.items.map(copyStored) };
    },
  };
}

function indexReads(rows: MemoryRows, meter: Meter): Pick<Table, 'queryIndex' | 'due'> {
  return {
    queryIndex: async (query) => {
      if (isOver(query, query.after)) return { items: [] };
      const { page, bytes } = cutPage(
        rows.group(query.index, query.pk).map((row) => entryOf(rows, row, query.index)),
        query,
      );
      meterRead(meter, bytes, false);
      return page;
    },
    due: async (shard, now, limit) => {
      const waiting = rows
        .group('due', shard)
        .filter((row) => row.wakeAt! <= now)
        .sort((a, b) => a.wakeAt! - b.wakeAt!)
        .slice(0, Math.min(limit, dueLimitMax));
      meterRead(
        meter,
        waiting.reduce((sum, row) => sum + entryOf(rows, row, 'due').bytes, 0),
        false,
      );
      return waiting.map(({ key }) => ({ ...key }));
    },
  };
}

const chargeOf = (rows: MemoryRows, before: Row | undefined, { put }: Admitted): Charged => ({
  before: before && rows.footprintOf(before),
  ...(put && { after: { bytes: put.bytes, keys: put.attributes } }),
});

const entryOf = (rows: MemoryRows, row: Row, index: IndexName): Sized<IndexEntry> => {
  const { sk } = (index === 'list' ? row.list : row.edge) ?? row.key;
  return { sk, item: { key: { ...row.key }, sk }, bytes: entrySize(indexSchema(index), rows.footprintOf(row).keys) };
};
