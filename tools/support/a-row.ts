import type { EpochMs } from '../../lib/core/time.ts';
import type { Check, CommittedEvent, Key, Put, RowContent } from '../../lib/ports/table/table.ts';

/** An arbitrary moment, the same in every run. */
export const noon = 1_767_268_800_000 as EpochMs;

/** A row with only the fields that a test is about: `pk` and `sk` name it, the rest is plain unless given. */
export const aRow = ({ pk = 'node#n1', sk = 'node', ...given }: Partial<Key> & Partial<Omit<RowContent, 'key'>> = {}): RowContent => ({
  key: { pk, sk },
  body: { status: 'up' },
  at: noon,
  by: 'input-1',
  because: 'a test says so',
  events: [],
  eventSeq: 0,
  ...given,
});

/** Stores a row, over none unless the revision that was read is given. */
export const put = (row: RowContent, readRev = 0): Put => ({ put: row, readRev });

/** Asks that a row is still where it was read, without writing it. */
export const check = ({ pk = 'node#n1', sk = 'node' }: Partial<Key>, readRev: number): Check => ({ check: { pk, sk }, readRev });

/** An event as a row commits it. */
export const anEvent = (seq: number): CommittedEvent => ({ type: 'node.joined', version: 1, data: { n: seq }, seq });
