import { type Row, removableAt } from '../../../lib/ports/table/table.ts';

/**
 * Told of every committed row in turn, answers how many events of the row's past no longer count: those of the row of
 * before under its key, if that has ended for so long that it may have been removed with all of its history. The row's
 * own events are numbered from 1 again then. 0 for any other row.
 */
export function beginnings(): (row: Row) => number {
  const ended = new Map<string, { readonly removableAt: number; readonly events: number }>();
  return (row) => {
    const key = `${row.key.pk}|${row.key.sk}`;
    const before = ended.get(key);
    const at = row.eventSeq > 0 ? removableAt(row) : undefined;
    if (at === undefined) ended.delete(key);
    else ended.set(key, { removableAt: at, events: row.eventSeq });
    return before && before.removableAt <= row.at ? before.events : 0;
  };
}
