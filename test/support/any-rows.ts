import fc from 'fast-check';
import type { EpochMs } from '../../lib/core/time.ts';
import { nameOf, type Row } from '../../lib/ports/table/table.ts';
import { anEvent, noon } from '../../tools/support/a-row.ts';
import { anyAttributes } from './values.ts';

const moment = fc.integer({ min: 0, max: 1_000_000_000 }).map((ms) => (noon + ms) as EpochMs);
/** Parts of keys as they are built: percent-encoded, joined by a sign; and what sorts differently in UTF-16. */
const part = fc.oneof(fc.stringMatching(/^[a-z0-9%-]{1,12}$/), fc.constantFrom('node#n1', 'zone#default', 'ﬀ', '😀', 'é', '__proto__'));
const place = fc.record({ pk: part, sk: part });

/** Any row that a table could hold, at any revision. */
const anyRow: fc.Arbitrary<Row> = fc.record(
  {
    key: place,
    rev: fc.integer({ min: 1, max: 1_000_000 }),
    body: anyAttributes,
    at: moment,
    by: part,
    because: part,
    events: fc.constantFrom([], [anEvent(7)], [anEvent(7), anEvent(8)]),
    eventSeq: fc.nat(1_000),
    actor: fc.record(
      { who: fc.constantFrom('admin:ada', 'node:n1'), source: part, request: part, key: part },
      { requiredKeys: ['who', 'source', 'request'] },
    ),
    changed: fc.array(part, { minLength: 1, maxLength: 3 }),
    wakeAt: moment,
    expiresAt: moment,
    gone: fc.constant(true as const),
    list: place,
    edge: place,
  },
  { requiredKeys: ['key', 'rev', 'body', 'at', 'by', 'because', 'events', 'eventSeq'], noNullPrototype: true },
);

/** Any rows with a key each. */
export const anyRows: fc.Arbitrary<Row[]> = fc.uniqueArray(anyRow, { selector: ({ key }) => nameOf(key), maxLength: 12 });
