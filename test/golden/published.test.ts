import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { published } from '../../events/catalogue.ts';
import { Envelope } from '../../events/envelope.ts';
import { historyForMs } from '../../lib/core/history.ts';
import { EpochMs, plusMs } from '../../lib/core/time.ts';
import { historyPartition, historySort, keyOf } from '../../lib/ports/table/keys.ts';
import type { FeedImage, Row } from '../../lib/ports/table/table.ts';
import { loadFunctions } from '../../programs/local/functions.ts';
import { aShell } from '../../tools/support/a-shell.ts';
import { examples } from '../unit/events/frozen.ts';

const functions = await loadFunctions();
const envelopes = [...examples()].flatMap(([name, example]): [string, Envelope][] => {
  const read = Envelope.safeParse(example);
  return read.success ? [[name, read.data]] : [];
});

/** Ids may have slashes of their own: those of a storage cluster's rows do. */
function subjectIn(subject: string): { noun: string; id: string } {
  const at = subject.indexOf('/');
  return { noun: subject.slice(0, at), id: subject.slice(at + 1) };
}

/** The row whose commit concluded the event, and the number of its version. */
function concluding({ subject, type, time, dataschema, eventseq, data }: Envelope): { row: Row; version: number } {
  const { noun, id } = subjectIn(subject);
  const version = Number(dataschema.split(':')[2]);
  const at = EpochMs.parse(Date.parse(time));
  const events = [{ type, version, data, seq: eventseq }];
  return {
    version,
    row: { key: keyOf({ noun, id }), body: {}, at, by: 'an-input', because: 'it was so', events, eventSeq: eventseq, rev: 1 },
  };
}

/** What the schema that subscribers have makes of an event's data. */
const accepted = (name: string, data: unknown): boolean => {
  const schema = JSON.parse(readFileSync(new URL(`../../docs/schemas/${name}.json`, import.meta.url), 'utf8'));
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(data).success;
};

describe.each(envelopes)('%s', (name, envelope) => {
  it('goes out as it is, and into the history of its subject', async () => {
    const { row, version } = concluding(envelope);
    const shell = aShell({ deployment: 'Muster' });
    const publish = functions.get('publish')!;
    if (publish.on === 'feed') await publish.handle([{ offset: '1', row } as FeedImage], shell);

    expect(shell.bus.published).toEqual([{ ...envelope, because: 'it was so' }]);
    const { noun, id } = subjectIn(envelope.subject);
    const kept = await shell.table.read({ pk: historyPartition({ noun, id }), sk: historySort(envelope.eventseq) });
    const { type, eventseq: seq, data } = envelope;
    expect(kept).toMatchObject({
      body: { seq, type, version, at: row.at, because: 'it was so', by: 'an-input', data },
      expiresAt: plusMs(row.at, historyForMs),
      eventSeq: 0,
    });
  });

  it('is taken by the schema that subscribers have', () => {
    expect(accepted(name, envelope.data)).toBe(true);
    expect(accepted(name, { ...envelope.data, ...Object.fromEntries(Object.keys(envelope.data).map((field) => [field, null])) })).toBe(
      false,
    );
  });
});

describe('the examples of published events', () => {
  it('are all here', () => {
    expect(Object.keys(published).filter((type) => !envelopes.some(([, envelope]) => envelope.type === type))).toEqual([]);
  });
});
