import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fingerprint } from '../../../lib/core/ids.ts';
import { plusMs } from '../../../lib/core/time.ts';
import type { JournalEvent } from '../../../lib/journal/journal.ts';
import { type Addition, batchesOf, type Entry, rowAfter } from '../../../lib/journal/plan.ts';
import { noon } from '../../../tools/support/a-row.ts';

const system = (n: number): Fingerprint => Fingerprint.parse(String(n).padStart(64, '0'));

const anEntry = (subject: string, seq: number, bytes = 10): Entry => {
  const event: JournalEvent = {
    specversion: '1.0',
    id: `${subject}#${seq}`,
    source: 'muster/acme',
    type: 'node.joined',
    subject,
    time: new Date(noon).toISOString(),
    dataschema: 'muster:node.joined:1',
    datacontenttype: 'application/json',
    eventseq: seq,
    data: {},
  };
  return { event, bytes };
};
const told = (subject: string, part: string, ...seqs: number[]): Addition<Entry> => ({
  subject,
  part,
  entries: seqs.map((seq) => anEntry(subject, seq)),
});
const limits = { eventsMax: 98, bytesMax: 1_000 };
const shown = (additions: readonly Addition<Entry>[], within = limits) =>
  batchesOf(additions, within).map(({ part, entries, systems }) => [part, ...entries.map(({ event }) => event.id), ...systems]);

describe('what is added to the journal', () => {
  it('is a row for each zone', () => {
    expect(shown([told('node/a', 'east', 1), told('node/b', 'west', 1), told('node/a', 'east', 2, 3)])).toEqual([
      ['east', 'node/a#1', 'node/a#2', 'node/a#3'],
      ['west', 'node/b#1'],
    ]);
  });

  it('stays in order where a thing moves to another zone that has a row already', () => {
    expect(shown([told('node/b', 'west', 1), told('node/a', 'east', 1), told('node/a', 'west', 2)])).toEqual([
      ['east', 'node/a#1'],
      ['west', 'node/b#1', 'node/a#2'],
    ]);
  });

  it('takes an event that comes twice once', () => {
    expect(shown([told('node/a', 'east', 1), told('node/a', 'east', 1, 2)])).toEqual([['east', 'node/a#1', 'node/a#2']]);
  });

  it('names each client system without events once', () => {
    const silent: Addition<Entry> = { subject: 'client#1', part: 'east', entries: [], system: system(1) };
    expect(shown([silent, silent])).toEqual([['east', system(1)]]);
  });

  it('is cut where a row is full, by events or by bytes, and never splits an event', () => {
    expect(shown([told('node/a', 'east', 1, 2, 3)], { ...limits, eventsMax: 2 })).toEqual([
      ['east', 'node/a#1', 'node/a#2'],
      ['east', 'node/a#3'],
    ]);
    const large = { subject: 'node/a', part: 'east', entries: [anEntry('node/a', 1, 900), anEntry('node/a', 2, 5_000)] };
    expect(shown([large, told('node/b', 'east', 1)])).toEqual([
      ['east', 'node/a#1'],
      ['east', 'node/a#2'],
      ['east', 'node/b#1'],
    ]);
  });

  it('has every event once, in the order of its row, whatever comes in whatever zones', () => {
    const moves = fc.array(fc.record({ thing: fc.integer({ min: 0, max: 3 }), zone: fc.constantFrom('a', 'b', 'c'), events: fc.nat(3) }));
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 5 }), (all, eventsMax) => {
        const last = [0, 0, 0, 0];
        const additions = all.map(({ thing, zone, events }) => {
          const seqs = Array.from({ length: events }, (_, n) => last[thing]! + n + 1);
          last[thing]! += events;
          return told(`node/${thing}`, zone, ...seqs);
        });
        const batches = batchesOf(additions, { eventsMax, bytesMax: 1_000 });
        expect(batches.every(({ entries }) => entries.length <= eventsMax)).toBe(true);
        for (const thing of [0, 1, 2, 3]) {
          const seqs = batches.flatMap(({ entries }) => entries.filter(({ event }) => event.subject === `node/${thing}`));
          expect(seqs.map(({ event }) => event.eventseq)).toEqual(Array.from({ length: last[thing]! }, (_, n) => n + 1));
        }
      }),
    );
  });
});

describe('a row of the journal', () => {
  const entries = [{ ...anEntry('client/1', 1), system: system(1) }, anEntry('node/a', 1)];

  it('has the next number, and the client systems of its events and those without events', () => {
    expect(rowAfter({ n: 7, at: noon }, { entries, systems: [system(2), system(1)] }, plusMs(noon, 5))).toEqual({
      n: 8,
      at: plusMs(noon, 5),
      events: entries.map(({ event }) => event),
      systems: [system(1), system(2)],
    });
  });

  it('is never from before the row that it follows', () => {
    expect(rowAfter({ n: 7, at: plusMs(noon, 9) }, { entries, systems: [] }, noon)?.at).toBe(plusMs(noon, 9));
  });

  it('is not made for nothing', () => {
    expect(rowAfter(undefined, { entries: [], systems: [] }, noon)).toBeUndefined();
  });
});
