import { Conflict } from '../errors.ts';
import { attributesOf, rowOf } from './attributes.ts';
import { dueShardOf } from './keys.ts';
import { pageBytesMax, refuseTooLarge } from './limits.ts';
import { meterCommit, meterRead, newMeter } from './meter.ts';
import { itemSize } from './size.ts';
import { type Change, dueLimitMax, type FeedImage, type IndexEntry, type Key, type Page, type Row, type Table } from './table.ts';

const at = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;

/** A whole table in a Map: the same contract as DynamoDB, for tests and the simulation. `feed` is every emitting commit so far. */
export function memoryTable(rows = new Map<string, Row>()): Table & { readonly rows: Map<string, Row>; readonly feed: FeedImage[] } {
  const meter = newMeter();
  const feed: FeedImage[] = [];
  const get = (key: Key): Row | undefined => structuredClone(rows.get(at(key)));
  const sorted = (pk: string, place: (row: Row) => Key | undefined): [string, Row][] =>
    [...rows.values()].flatMap((row) => (place(row)?.pk === pk ? [[place(row)!.sk, row] as [string, Row]] : [])).sort(bySortKey);

  return {
    rows,
    feed,
    meter,
    read: async (key) => {
      const row = get(key);
      meterRead(meter, row ? sizeOf(row) : 0, true);
      return row;
    },
    readMany: async (keys) =>
      keys.map((key) => {
        const row = get(key);
        meterRead(meter, row ? sizeOf(row) : 0, true);
        return row;
      }),
    query: async (query) => {
      const found = sorted(query.pk, (row) => row.key);
      const page = cut(query.descending ? found.reverse() : found, query, sizeOf);
      meterRead(meter, page.bytes, true);
      return { items: structuredClone(page.rows), ...(page.next !== undefined && { next: page.next }) };
    },
    queryIndex: async (query): Promise<Page<IndexEntry>> => {
      const page = cut(
        sorted(query.pk, (row) => (query.index === 'list' ? row.list : row.edge)),
        query,
        entrySize,
      );
      meterRead(meter, page.bytes, false);
      const items = page.rows.map((row) => ({ key: { ...row.key }, sk: (query.index === 'list' ? row.list : row.edge)!.sk }));
      return { items, ...(page.next !== undefined && { next: page.next }) };
    },
    due: async (shard, now, limit) => {
      const waiting = [...rows.values()].filter((row) => row.wakeAt !== undefined && row.wakeAt <= now && dueShardOf(row.key) === shard);
      meterRead(meter, waiting.length * 100, false);
      return waiting
        .sort((a, b) => a.wakeAt! - b.wakeAt!)
        .slice(0, Math.min(limit, dueLimitMax))
        .map((row) => ({ ...row.key }));
    },
    commit: async (changes) => {
      refuseTooLarge(changes);
      refuseMoved(changes, (key) => rows.get(at(key))?.rev ?? 0);
      for (const change of changes) {
        if (!('put' in change)) continue;
        const row = rowOf(structuredClone(attributesOf(change.put, change.readRev + 1)));
        meterCommit(meter, rows.get(at(row.key)), row, changes.length > 1);
        rows.set(at(row.key), row);
        if (row.events.length > 0) feed.push({ offset: String(feed.length + 1), row: structuredClone(row) });
      }
    },
  };
}

/** Throws {@link Conflict} naming the first row of the changes that is no longer at the revision it was read at. */
export function refuseMoved(changes: readonly Change[], revOf: (key: Key) => number): void {
  for (const change of changes) {
    const key = 'put' in change ? change.put.key : change.check;
    const rev = revOf(key);
    if (rev !== change.readRev)
      throw new Conflict(`${key.pk}|${key.sk}`, `row ${key.pk}|${key.sk} is at rev ${rev}, not ${change.readRev}`);
  }
}

const bySortKey = ([a]: [string, Row], [b]: [string, Row]): number => (a < b ? -1 : a > b ? 1 : 0);
const sizeOf = (row: Row): number => itemSize(attributesOf(row, row.rev));
/** A keys-only index entry: both keys and the index's own. */
const entrySize = (row: Row): number => 100 + row.key.pk.length + row.key.sk.length;

type Range = { from?: string; to?: string; after?: string; limit: number; descending?: boolean };
/** The part of a sorted partition that one page holds. */
function cut(found: [string, Row][], { from, to, after, limit, descending }: Range, size: (row: Row) => number) {
  const inRange = found.filter(
    ([sk]) =>
      (from === undefined || sk >= from) &&
      (to === undefined || sk <= to) &&
      (after === undefined || (descending ? sk < after : sk > after)),
  );
  const rows: Row[] = [];
  let bytes = 0;
  for (const [sk, row] of inRange) {
    if (rows.length === limit || (rows.length > 0 && bytes + size(row) > pageBytesMax))
      return { rows, bytes, next: inRange[rows.length - 1]![0] };
    bytes += size(row);
    rows.push(row);
    if (rows.length === limit && rows.length < inRange.length) return { rows, bytes, next: sk };
  }
  return { rows, bytes, next: undefined };
}
