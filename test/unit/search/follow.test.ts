import { describe, expect, it } from 'vitest';
import { dayMs, hourMs, plusMs } from '../../../lib/core/time.ts';
import type { JournalRow } from '../../../lib/journal/journal.ts';
import { beginning, isPlaceOf, isTooOld, nextAt } from '../../../lib/search/follow.ts';
import { noon } from '../../../tools/support/a-row.ts';

const place = { n: 5, at: noon };
const row = (at = noon): JournalRow => ({ n: 5, at, events: [], systems: [] });

describe('a reader of a journal', () => {
  it('reads on where rows have come since, and only there', () => {
    expect(nextAt(place, { n: 5, at: noon })).toEqual({ is: 'nothing' });
    expect(nextAt(place, { n: 6, at: plusMs(noon, 1) })).toEqual({ is: 'read', from: place });
    expect(nextAt(beginning, { n: 1, at: noon })).toEqual({ is: 'read', from: beginning });
  });
  it('waits where the end was read as it was before its own place', () => {
    expect(nextAt(place, { n: 4, at: plusMs(noon, -1) })).toEqual({ is: 'nothing' });
  });
  it('begins again where the journal has lost its end and counts from 1, however far it has come', () => {
    expect(nextAt(place, { n: 1, at: plusMs(noon, 31 * dayMs) })).toEqual({ is: 'read', from: beginning });
    expect(nextAt(place, { n: 7, at: plusMs(noon, 31 * dayMs) })).toEqual({ is: 'read', from: beginning });
  });
  it('forgets a journal without an end', () => expect(nextAt(place, undefined)).toEqual({ is: 'forget' }));
});

describe('what is known', () => {
  it('is followed from for four weeks, and no longer: whole journals may have come and gone', () => {
    expect(isTooOld(noon, plusMs(noon, 28 * dayMs))).toBe(false);
    expect(isTooOld(noon, plusMs(noon, 29 * dayMs))).toBe(true);
  });
});

describe('a place that was stored is of a journal', () => {
  const later = plusMs(noon, hourMs);
  it('whose last row it is, or which still has its row', () => {
    expect(isPlaceOf(place, { n: 5, at: noon }, undefined, later)).toBe(true);
    expect(isPlaceOf(place, { n: 9, at: later }, row(), later)).toBe(true);
  });
  it('whose row of that number has ended, and could not be told from another', () => {
    expect(isPlaceOf(place, { n: 9, at: later }, undefined, later)).toBe(false);
    expect(isPlaceOf(place, { n: 9, at: later }, undefined, plusMs(noon, 31 * hourMs))).toBe(true);
  });
  it('and of no other: one without an end, one that is not as far, or one with another row there', () => {
    expect(isPlaceOf(place, undefined, undefined, later)).toBe(false);
    expect(isPlaceOf(place, { n: 4, at: later }, undefined, later)).toBe(false);
    expect(isPlaceOf(place, { n: 5, at: plusMs(noon, 1) }, undefined, later)).toBe(false);
    expect(isPlaceOf(place, { n: 9, at: later }, row(plusMs(noon, 1)), later)).toBe(false);
  });
});
