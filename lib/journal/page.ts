import type { JournalEvent, JournalRow } from './journal.ts';
import type { Place } from './position.ts';

/** The next rows of a part behind a place; cut when others may follow. */
export type PartRead = { readonly part: string; readonly from: Place; readonly rows: readonly JournalRow[]; readonly isCut: boolean };

/** What a reader is given, and how far it has read each part that had rows. */
export type ChangesPage = {
  readonly events: readonly JournalEvent[];
  readonly places: ReadonlyMap<string, Place>;
  /** Others may follow at once. */
  readonly more: boolean;
};

type Next = { readonly part: string; readonly row: JournalRow; readonly skip: number; readonly isLast: boolean };

/**
 * Up to `limit` events that a reader wants, in the order in which they were published: that of each part, and among
 * parts by time. It ends where a part is cut, because what follows there may come before the rows of others.
 */
export function pageOf(
  reads: readonly PartRead[],
  { limit, wants }: { readonly limit: number; readonly wants: (event: JournalEvent) => boolean },
): ChangesPage {
  const events: JournalEvent[] = [];
  const places = new Map<string, Place>();
  for (const { part, row, skip, isLast } of inOrder(reads)) {
    for (const [i, event] of row.events.slice(skip).entries()) {
      if (events.length === limit) {
        places.set(part, { n: row.n - 1, k: skip + i });
        return { events, places, more: true };
      }
      if (wants(event)) events.push(event);
    }
    places.set(part, { n: row.n, k: 0 });
    if (isLast) return { events, places, more: true };
  }
  return { events, places, more: false };
}

const inOrder = (reads: readonly PartRead[]): Next[] =>
  reads
    .flatMap(({ part, from, rows, isCut }) =>
      rows.map((row, i): Next => ({ part, row, skip: i === 0 ? from.k : 0, isLast: isCut && i === rows.length - 1 })),
    )
    .sort((a, b) => a.row.at - b.row.at || (a.part < b.part ? -1 : a.part > b.part ? 1 : a.row.n - b.row.n));

/** Whether a reader wants an event: one whose type begins with one of these, or any when there are none. */
export const wantsTypes =
  (begins: readonly string[]): ((event: Pick<JournalEvent, 'type'>) => boolean) =>
  ({ type }) =>
    begins.length === 0 || begins.some((begin) => type.startsWith(begin));
