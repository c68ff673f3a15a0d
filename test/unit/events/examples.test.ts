import { describe, expect, it } from 'vitest';
import { BusReport, published, Report, reported } from '../../../events/catalogue.ts';
import { Envelope } from '../../../events/envelope.ts';
import { eventName, reportedAs } from '../../../events/json-schemas.ts';
import type { RowRef } from '../../../lib/core/decision.ts';
import { EpochMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { FeedImage } from '../../../lib/ports/table/table.ts';
import { envelopesOf } from '../../../lib/runtime/on-feed.ts';
import { digestOf, examples, frozen } from './frozen.ts';

const all = examples();
const typeOf = (name: string): string => name.replace(/\.v\d+$/, '');
const isPublished = (type: string): type is keyof typeof published => type in published;

describe('the examples', () => {
  it('have one for the present version of every report and every published event', () => {
    const wanted = [
      ...Object.entries(published).map(([type, event]) => eventName(type, event)),
      ...Object.entries(reported).map(([type, report]) => eventName(reportedAs(type), report)),
    ];
    expect(wanted.filter((name) => !all.has(name))).toEqual([]);
  });

  it('are of types that are in the catalogue', () => {
    const known = [...Object.keys(published), ...Object.keys(reported).map(reportedAs)];
    expect([...all.keys()].filter((name) => !known.includes(typeOf(name)))).toEqual([]);
  });

  it('are frozen: none was edited, none was taken away, a new one is frozen with its digest', () => {
    expect(Object.fromEntries([...all].map(([name, example]) => [name, digestOf(example)]))).toEqual(frozen());
  });
});

describe.each([...all].filter(([name]) => isPublished(typeOf(name))))('%s', (name, example) => {
  it('parses, for ever', () => {
    const { type, dataschema, data } = Envelope.parse(example);
    const version = Number(dataschema.split(':')[2]);
    expect({ type, name }).toEqual({ type: typeOf(name), name: `${type}.v${version}` });
    expect(published[typeOf(name) as keyof typeof published].safeParse({ type, version, data }).error).toBeUndefined();
  });

  it('is what the feed makes of the row that concluded it', () => {
    const { type, subject, dataschema, eventseq, time, data } = Envelope.parse(example);
    const [noun = '', ...parts] = subject.split('/');
    const id = parts.join('/');
    const row = {
      ...aRow({ noun, id }),
      at: EpochMs.parse(Date.parse(time)),
      events: [{ type, version: Number(dataschema.split(':')[2]), data, seq: eventseq }],
    };
    // The examples are frozen from before there was a reason.
    expect(envelopesOf({ row }, 'Muster')).toEqual([{ ...(example as object), because: 'test' }]);
  });
});

describe.each([...all].filter(([name]) => !isPublished(typeOf(name))))('%s', (name, example) => {
  it('parses, for ever, as the door stamped it', () => {
    const { type, version } = Report.parse(example);
    expect(`${reportedAs(type)}.v${version}`).toBe(name);
  });
});

describe('a report on the ingest bus', () => {
  const { receivedAt: _receivedAt, intervalMs: _intervalMs, ...leaving } = Report.parse(all.get('node.leaving.v1'));

  it('is one without our stamps', () => {
    expect(BusReport.safeParse(leaving).error).toBeUndefined();
    expect(BusReport.safeParse(all.get('node.leaving.v1')).success).toBe(false);
  });

  it('is of no other type', () => {
    expect(BusReport.safeParse({ ...leaving, type: 'node.ready', data: {} }).success).toBe(false);
  });
});

const aRow = (ref: RowRef): FeedImage['row'] => ({
  key: keyOf(ref),
  body: {},
  rev: 1,
  at: EpochMs.parse(0),
  by: 'test',
  because: 'test',
  events: [],
  eventSeq: 99,
});
