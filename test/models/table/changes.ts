import fc from 'fast-check';
import { dayMs, plusMs } from '../../../lib/core/time.ts';
import type { Change, Key, RowContent } from '../../../lib/ports/table/table.ts';
import { anEvent, aRow, check, noon, put } from '../../../tools/support/a-row.ts';
import { anyAttributes } from '../../support/values.ts';
import type { RememberedTable } from './remembered.ts';

/** Few rows, so that they meet; their sort keys are of every length in UTF-8. */
export const partitions = ['p', 'q'] as const;
export const sortKeys = ['a', 'aa', 'b', 'Z', 'é', '\uffee', '😀'] as const;
export const places = ['x', 'y'] as const;

export const pk = fc.constantFrom(...partitions);
export const sk = fc.constantFrom(...sortKeys);
export const key: fc.Arbitrary<Key> = fc.record({ pk, sk });
const maybe = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> => fc.option(fc.constantFrom(...values), { nil: undefined });
/** Bodies small and large, and now and then anything that a row can hold. */
const body = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 9_000 }).map((size) => ({ text: 'x'.repeat(size), bytes: new Uint8Array(size % 7) })) },
  { weight: 1, arbitrary: anyAttributes },
);

/** One wished change: of which row, over the revision it is at or another, and what it stores. */
export const wish = fc.record({
  key,
  does: fc.constantFrom('put', 'put', 'put', 'check'),
  off: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, -1),
  body,
  wakeAfterMs: maybe(0, 1, 2, 3),
  expiresAfterMs: maybe(0, 1, 2),
  listedAt: maybe(...places),
  pointsAt: maybe(...places),
  events: fc.constantFrom(0, 0, 1, 2),
  gone: fc.constantFrom(false, false, true),
});
export type Wish = typeof wish extends fc.Arbitrary<infer W> ? W : never;

/** Wishes of one commit, each of another row. */
export const wishes = fc.uniqueArray(wish, { minLength: 1, maxLength: 4, selector: ({ key: { pk: p, sk: s } }) => `${p}|${s}` });

const contentOf = (one: Wish, eventSeq: number, by: string): RowContent =>
  aRow({
    ...one.key,
    by,
    body: one.body,
    eventSeq: eventSeq + one.events,
    events: Array.from({ length: one.events }, (_, n) => anEvent(eventSeq + n + 1)),
    ...(one.wakeAfterMs !== undefined && { wakeAt: plusMs(noon, one.wakeAfterMs) }),
    ...(one.expiresAfterMs !== undefined && { expiresAt: plusMs(noon, one.expiresAfterMs * dayMs) }),
    // A place in an index is of one row alone: pages go on behind it.
    ...(one.listedAt && { list: { pk: one.listedAt, sk: `${one.key.sk}${one.key.pk}` } }),
    ...(one.pointsAt && { edge: { pk: one.pointsAt, sk: `${one.key.pk}${one.key.sk}` } }),
    ...(one.gone && { gone: true as const }),
  });

/** What is wished, over the rows as they are. */
export const changesOf = (all: readonly Wish[], model: RememberedTable, by: string): Change[] =>
  all.map((one) => {
    const readRev = Math.max(0, model.rev(one.key) + one.off);
    return one.does === 'check' ? check(one.key, readRev) : put(contentOf(one, model.row(one.key)?.eventSeq ?? 0, by), readRev);
  });

/** A few words about a commit, for a failure to show. */
export const told = (all: readonly Wish[]): string =>
  all.map(({ does, key: { pk: p, sk: s }, off }) => `${does} ${p}|${s}${off === 0 ? '' : ` (rev ${off > 0 ? '+' : ''}${off})`}`).join(', ');
