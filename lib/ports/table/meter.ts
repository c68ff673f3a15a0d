import type { Attributes } from './attributes.ts';
import { type IndexSchema, tableSchema } from './schema.ts';
import { itemSize, readUnitsOf, writeUnitsOf } from './size.ts';
import type { Meter } from './table.ts';

/*
 * Units as DynamoDB charges them, so that a table in memory or in SQLite reports what the same work would cost.
 * The rules are from measurements of emulators against the service (nubo-db/dynoxide #177 and #188,
 * paritysuite/dynamodb-conformance #67):
 * - A transaction doubles the units of the table itself, never those of its indexes.
 * - An index is charged for changes of its entries: an entry made or removed is one write, a moved entry is two.
 * - A check is charged like a transactional write of the row that it checks.
 * - Refusals are not counted: the service charges a refused condition too, but its answer does not include the units.
 */

/** A meter at zero. */
export const newMeter = (): Meter => ({ readUnits: 0, writeUnits: 0, indexUnits: 0, rowsWritten: 0 });

/** Counts one read of so many bytes. */
export const meterRead = (meter: Meter, bytes: number, consistent: boolean): void => {
  meter.readUnits += readUnitsOf(bytes, consistent);
};

/**
 * A stored row as the meter sees it: its size, and at least the attributes that place it in the table and in its
 * indexes.
 */
export type Footprint = { readonly bytes: number; readonly keys: Attributes };

/** One change as it was carried out: the row before, and the row after unless it was a check. */
export type Charged = { readonly before: Footprint | undefined; readonly after?: Footprint };

/** Counts a commit. */
export function meterCommit(meter: Meter, changes: readonly Charged[]): void {
  const transactional = changes.length > 1 || changes[0]?.after === undefined;
  for (const { before, after } of changes) {
    const indexUnits = after ? indexUnitsOf(before, after) : 0;
    meter.writeUnits += writeUnitsOf(Math.max(before?.bytes ?? 0, after?.bytes ?? 0), transactional) + indexUnits;
    meter.indexUnits += indexUnits;
    meter.rowsWritten += after ? 1 : 0;
  }
}

/** The bytes of a row's entry in an index, which has the keys of both; 0 when the row is not in it. */
export function entrySize({ partitionKey, sortKey }: IndexSchema, keys: Attributes): number {
  const partition = keys[partitionKey.name] ?? null;
  const sort = keys[sortKey.name] ?? null;
  if (partition === null || sort === null) return 0;
  return itemSize({ pk: keys['pk'], sk: keys['sk'], [partitionKey.name]: partition, [sortKey.name]: sort });
}

function indexUnitsOf(before: Footprint | undefined, after: Footprint): number {
  let units = 0;
  for (const index of tableSchema.indexes) {
    const removed = before ? entrySize(index, before.keys) : 0;
    const made = entrySize(index, after.keys);
    if (removed > 0 && made > 0 && stays(index, before!.keys, after.keys)) continue;
    units += (removed > 0 ? writeUnitsOf(removed, false) : 0) + (made > 0 ? writeUnitsOf(made, false) : 0);
  }
  return units;
}

const stays = ({ partitionKey, sortKey }: IndexSchema, before: Attributes, after: Attributes): boolean =>
  before[partitionKey.name] === after[partitionKey.name] && before[sortKey.name] === after[sortKey.name];
