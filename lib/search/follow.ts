import { dayMs, EpochMs } from '../core/time.ts';
import { endForMs, type JournalEnd, type JournalRow, rowsForMs } from '../journal/journal.ts';

/** How far a part of the journal is known: the number and the time of the last row that was read. */
export type Place = { readonly n: number; readonly at: EpochMs };

/** The place before the first row of a part. */
export const beginning: Place = { n: 0, at: EpochMs.parse(0) };

/**
 * What is next for a reader of a part: nothing; the rows behind a place; or to forget the part, because its end is no
 * longer stored.
 */
export type Next = { readonly is: 'nothing' } | { readonly is: 'read'; readonly from: Place } | { readonly is: 'forget' };

/**
 * What is next at a place, by the end of the part as it was read a moment ago. A part without rows for weeks loses its
 * end and counts from 1 again.
 */
export function nextAt(place: Place, end: JournalEnd | undefined): Next {
  if (end === undefined) return { is: 'forget' };
  const countsAnew = end.n < place.n ? end.at > place.at : end.at - place.at >= endForMs;
  if (countsAnew) return { is: 'read', from: beginning };
  return end.n > place.n ? { is: 'read', from: place } : { is: 'nothing' };
}

/**
 * Whether a place is one of this part, and not of a part as it was before its table was replaced by a backup. `end`:
 * the present end; `row`: the row with the number of the place. A row ends after a while, and says nothing then.
 */
export function isPlaceOf(place: Place, end: JournalEnd | undefined, row: JournalRow | undefined, now: EpochMs): boolean {
  if (end === undefined || end.n < place.n) return false;
  if (end.n === place.n) return end.at === place.at;
  return row === undefined ? place.at + rowsForMs <= now : row.at === place.at;
}

/**
 * Whether what was known at a moment is too old to be followed from: a journal that ended and began anew since, or was
 * only there meanwhile, shows nothing of the rows that it has had. A day less than ends are stored, because ends are
 * read as they were a moment ago.
 */
export const isTooOld = (asOf: EpochMs, now: EpochMs): boolean => now - asOf >= endForMs - dayMs;
