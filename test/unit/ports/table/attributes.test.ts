import { describe, expect, it } from 'vitest';
import { attributesOf } from '../../../../lib/ports/table/attributes.ts';
import { anEvent, aRow } from '../../../../tools/support/a-row.ts';

const emits = (row: Parameters<typeof aRow>[0]): unknown => attributesOf(aRow(row), 1)['emits'];
const client = { pk: 'client#c1', sk: 'client' };
const by = (who: string) => ({ actor: { who, source: '192.0.2.7', request: 'call-1' } });

describe('the attribute by which the stream is filtered', () => {
  it('is 1 with events, and where somebody acted', () => {
    expect(emits({ events: [anEvent(1)], eventSeq: 1 })).toBe(1);
    expect(emits(by('admin:anna'))).toBe(1);
    expect(emits({ ...client, events: [anEvent(1)], eventSeq: 1 })).toBe(1);
  });

  it('is 2 where nothing is told but that the row of a client system has changed', () => {
    expect(emits(client)).toBe(2);
    expect(emits({ ...client, ...by('client:c1') })).toBe(2);
    expect(emits({ ...client, gone: true })).toBe(2);
  });

  it('is absent from everything else', () => {
    expect(emits({})).toBeUndefined();
    expect(emits(by('node:n1'))).toBeUndefined();
    expect(emits({ ...client, sk: 'metadata#pillar#0000000000' })).toBeUndefined();
  });
});
