import type { EpochMs } from '../../core/time.ts';
import { rowOf } from './attributes.ts';
import { copyAttributes } from './json.ts';
import { dueShardOf } from './keys.ts';
import { admit, distinctKeys, refuseMoved } from './limits.ts';
import { newMeter } from './meter.ts';
import { compareUtf8, isInRange, remaining } from './order.ts';
import { type IndexQuery, type Key, nameOf, type Page, type Row, type RowQuery, type Table } from './table.ts';

/** The parts of a table that an overlay reads: it commits nothing there. */
export type Underlying = Pick<Table, 'read' | 'readMany' | 'query' | 'queryIndex'>;

/**
 * A table over another one: it begins as that one is, and keeps its commits to itself. A row stays as it was when the
 * overlay first read it. An index has the entries of the other table, and `due` only rows that the overlay has seen.
 */
export function overlayTable(under: Underlying): Table {
  const seen = new Map<string, Row | undefined>();
  const readMany = async (keys: readonly Key[]): Promise<(Row | undefined)[]> => {
    const unread = [...distinctKeys(keys)].filter(([name]) => !seen.has(name));
    const rows = unread.length === 0 ? [] : await under.readMany(unread.map(([, key]) => key));
    for (const [n, [name]] of unread.entries()) seen.set(name, rows[n]);
    return keys.map((key) => seen.get(nameOf(key)));
  };
  const seenIn = ({ pk }: RowQuery): Row[] => [...seen.values()].flatMap((row) => (row?.key.pk === pk ? [row] : []));
  return {
    meter: newMeter(),
    read: async (key) => (await readMany([key]))[0],
    readMany,
    query: async (query) => {
      const page = await under.query(query);
      for (const row of page.items) if (!seen.has(nameOf(row.key))) seen.set(nameOf(row.key), row);
      return merged(page, seenIn(query), query);
    },
    queryIndex: (query: IndexQuery) => under.queryIndex(query),
    due: async (shard, now, limit) => dueIn(seen.values(), shard, now).slice(0, limit),
    commit: async (changes) => {
      const admitted = admit(changes);
      const before = await readMany(admitted.map(({ key }) => key));
      refuseMoved(
        admitted,
        before.map((row) => row?.rev ?? 0),
      );
      for (const { key, put } of admitted) if (put) seen.set(nameOf(key), rowOf(copyAttributes(put.attributes)));
    },
  };
}

/** A page of the other table with the rows that the overlay has in its range, in order, and no longer than asked. */
function merged(page: Page<Row>, own: readonly Row[], query: RowQuery): Page<Row> {
  const { after, descending = false, limit } = query;
  const range = remaining(query, after, descending);
  const isBefore = (a: string, b: string): boolean => (descending ? compareUtf8(b, a) : compareUtf8(a, b)) < 0;
  const inPage = ({ key: { sk } }: Row): boolean =>
    sk !== after && isInRange(sk, range) && (page.next === undefined || sk === page.next || isBefore(sk, page.next));
  const rows = own.filter(inPage).sort((a, b) => (isBefore(a.key.sk, b.key.sk) ? -1 : 1));
  const items = rows.slice(0, limit);
  const next = rows.length > limit ? items.at(-1)?.key.sk : page.next;
  return { items, ...(next !== undefined && { next }) };
}

function dueIn(rows: Iterable<Row | undefined>, shard: number, now: EpochMs): Key[] {
  const waiting = [...rows].flatMap((row) =>
    row?.wakeAt !== undefined && row.wakeAt <= now && dueShardOf(row.key) === shard ? [{ key: row.key, at: row.wakeAt }] : [],
  );
  return waiting.sort((a, b) => a.at - b.at).map(({ key }) => key);
}
