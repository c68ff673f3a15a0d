import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plusMs } from '../../../lib/core/time.ts';
import type { JournalEvent, JournalRow } from '../../../lib/journal/journal.ts';
import { type PartRead, pageOf, wantsTypes } from '../../../lib/journal/page.ts';
import { type Place, positionIn, positionText } from '../../../lib/journal/position.ts';
import { noon } from '../../../tools/support/a-row.ts';

const anEvent = (id: string, type = 'node.joined'): JournalEvent => ({
  specversion: '1.0',
  id,
  source: 'muster/acme',
  type,
  subject: 'node/a',
  time: new Date(noon).toISOString(),
  dataschema: `muster:${type}:1`,
  datacontenttype: 'application/json',
  eventseq: 1,
  data: {},
});
const aRow = (n: number, atMs: number, ...ids: string[]): JournalRow => ({
  n,
  at: plusMs(noon, atMs),
  events: ids.map((id) => anEvent(id)),
  systems: [],
});
const start: Place = { n: 0, k: 0 };
const wants = wantsTypes([]);
const shown = (reads: readonly PartRead[], limit = 50) => {
  const { events, places, more } = pageOf(reads, { limit, wants });
  return { ids: events.map(({ id }) => id), places: Object.fromEntries(places), more };
};

describe('a page of changes', () => {
  const east = { part: 'east', from: start, rows: [aRow(1, 10, 'e1', 'e2'), aRow(2, 30, 'e3')], isCut: false };
  const west = { part: 'west', from: start, rows: [aRow(1, 20, 'w1')], isCut: false };

  it('has the events of several zones in the order in which they were published', () => {
    expect(shown([west, east])).toEqual({
      ids: ['e1', 'e2', 'w1', 'e3'],
      places: { east: { n: 2, k: 0 }, west: { n: 1, k: 0 } },
      more: false,
    });
  });

  it('ends within a row, and the next one begins there', () => {
    const first = shown([east], 1);
    expect(first).toEqual({ ids: ['e1'], places: { east: { n: 0, k: 1 } }, more: true });
    expect(shown([{ ...east, from: { n: 0, k: 1 } }])).toMatchObject({ ids: ['e2', 'e3'], more: false });
  });

  it('goes no further than a zone of which others may follow that come before', () => {
    expect(
      shown([
        { ...east, rows: [east.rows[0]!], isCut: true },
        { ...west, rows: [aRow(1, 40, 'w1')] },
      ]),
    ).toEqual({
      ids: ['e1', 'e2'],
      places: { east: { n: 1, k: 0 } },
      more: true,
    });
  });

  it('passes what is not wanted, and rows without events', () => {
    const rows = [aRow(1, 10), { ...aRow(2, 20), events: [anEvent('a', 'node.lost'), anEvent('b', 'client.seen')] }];
    const page = pageOf([{ part: 'east', from: start, rows, isCut: false }], { limit: 50, wants: wantsTypes(['client.', 'zone.']) });
    expect(page.events.map(({ id }) => id)).toEqual(['b']);
    expect(page.places.get('east')).toEqual({ n: 2, k: 0 });
  });

  it('neither repeats nor loses an event, whatever the limits of pages and of what is read', () => {
    const parts = fc.array(fc.array(fc.record({ afterMs: fc.nat(5), events: fc.nat(4) }), { maxLength: 8 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 3 }), (drawn, limit, rowsMax) => {
        const stored = drawn.map((rows, p): [string, JournalRow[]] => {
          let at = 0;
          return [
            `zone${p}`,
            rows.map(({ afterMs, events }, i) => {
              at += afterMs;
              return aRow(i + 1, at, ...Array.from({ length: events }, (_, k) => `${p}/${i + 1}/${k}`));
            }),
          ];
        });
        const places = new Map(stored.map(([part]) => [part, start]));
        const ids: string[] = [];
        for (let more = true; more; ) {
          const reads = stored.map(([part, rows]): PartRead => {
            const from = places.get(part)!;
            const left = rows.slice(from.n);
            return { part, from, rows: left.slice(0, rowsMax), isCut: left.length > rowsMax };
          });
          const page = pageOf(reads, { limit, wants });
          expect(page.events.length).toBeLessThanOrEqual(limit);
          ids.push(...page.events.map(({ id }) => id));
          for (const [part, place] of page.places) places.set(part, place);
          more = page.more;
        }
        const all = stored.flatMap(([part, rows]) => rows.map((row) => ({ part, row })));
        all.sort((a, b) => a.row.at - b.row.at || (a.part < b.part ? -1 : a.part > b.part ? 1 : a.row.n - b.row.n));
        expect(ids).toEqual(all.flatMap(({ row }) => row.events.map(({ id }) => id)));
      }),
    );
  });
});

it('is continued by a position that can be written down', () => {
  const position = {
    at: noon,
    begun: plusMs(noon, -5),
    places: new Map([
      ['east', { n: 7, k: 0 }],
      ['-', { n: 1, k: 3 }],
    ] as const),
  };
  expect(positionIn(positionText(position))).toEqual(position);
});
