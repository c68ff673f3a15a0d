import { describe, expect, it } from 'vitest';
import { Report, reported } from '../../events/catalogue.ts';
import { minuteMs, plusMs } from '../../lib/core/time.ts';
import { examples } from '../unit/events/frozen.ts';
import { newestEnd, readRecorded } from './files.ts';
import { exampleOf } from './recording.ts';
import { type Decided, decidedOn, read, type Start } from './report.ts';

/** Whose decision does not rest on the time at which it is made. */
const timeless = /released|acquired/;
const files = readRecorded();
const names = [...examples()].flatMap(([name, example]) =>
  (example as { type: string }).type in reported && isReport(example) ? [name] : [],
);
const startOf = (name: string): Start => read<Start>(files.get(`reports/${name}.start.json`)!);
const promisedOf = (name: string): Decided[] => read<{ decided: Decided[] }>(newestEnd(files, `reports/${name}`)!.text).decided;

/** An example of a published event is an envelope, which is no report. */
function isReport(example: object): boolean {
  return Report.safeParse(example).success;
}

describe('the examples of reports', () => {
  it('each have a start and an end', () => {
    const missing = names.filter((name) => !files.has(`reports/${name}.start.json`) || !newestEnd(files, `reports/${name}`));
    expect(missing, 'give each a start in test/golden/starts.ts, and record it: node test/golden/record.ts <name>').toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(Object.keys(reported).length);
  });
});

describe.each(names)('%s', (name) => {
  it('does the same to the same rows for ever: what they become, the events, when to look again', () => {
    expect(decidedOn(exampleOf(name), startOf(name))).toEqual(promisedOf(name));
  });

  it('changes something, so that there is something to promise', () => {
    expect(promisedOf(name).every(({ decision }) => (decision as { does: string }).does === 'write')).toBe(true);
  });

  it('does something else a minute later or to other rows: the promise can be broken', () => {
    const { now, rows } = startOf(name);
    const later = decidedOn(exampleOf(name), { rows, now: plusMs(now, minuteMs) });
    const nobody = decidedOn(exampleOf(name), { now, rows: rows.map(({ ref }) => ({ ref })) });
    for (const other of [nobody, ...(timeless.test(name) ? [] : [later])]) expect(other).not.toEqual(promisedOf(name));
  });
});
