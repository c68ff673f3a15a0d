import { attributesOf } from './attributes.ts';
import { itemSize, readUnitsOf, writeUnitsOf } from './size.ts';
import type { IndexKey, Meter, Row } from './table.ts';

/** A meter at zero. */
export const newMeter = (): Meter => ({ readUnits: 0, writeUnits: 0, indexUnits: 0, rowsWritten: 0 });

/** Counts one read of so many bytes. */
export const meterRead = (meter: Meter, bytes: number, consistent: boolean): void => {
  meter.readUnits += readUnitsOf(bytes, consistent);
};

/**
 * Counts one row written over another: 1 unit per KB, twice in a transaction, and one for each index entry made, moved (two) or
 * removed. Keys-only entries are far below 1 KB.
 */
export function meterCommit(meter: Meter, before: Row | undefined, after: Row, transactional: boolean): void {
  const bytes = Math.max(itemSize(attributesOf(after, after.rev)), before ? itemSize(attributesOf(before, before.rev)) : 0);
  const index =
    (indexMoves(dueOf(before), dueOf(after)) + indexMoves(before?.list, after.list) + indexMoves(before?.edge, after.edge)) *
    (transactional ? 2 : 1);
  meter.writeUnits += writeUnitsOf(bytes, transactional) + index;
  meter.indexUnits += index;
  meter.rowsWritten += 1;
}

const dueOf = (row: Row | undefined): IndexKey | undefined => (row?.wakeAt === undefined ? undefined : { pk: '', sk: String(row.wakeAt) });

function indexMoves(before: IndexKey | undefined, after: IndexKey | undefined): number {
  if (!before || !after) return before || after ? 1 : 0;
  return before.pk === after.pk && before.sk === after.sk ? 0 : 2;
}
