import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historyForMs } from '../../../../lib/core/history.ts';
import { plusMs } from '../../../../lib/core/time.ts';
import { type Attributes, attributesOf } from '../../../../lib/ports/table/attributes.ts';
import { marshal, unmarshal, unmarshalRow } from '../../../../lib/ports/table/codec.ts';
import { copyAttributes, parseAttributes, printAttributes } from '../../../../lib/ports/table/json.ts';
import { aRow, noon } from '../../../../tools/support/a-row.ts';
import { anyAttributes } from '../../../support/values.ts';

const seed = 20_260_101;

describe.each([
  { form: 'an item of DynamoDB', there: (attributes: Attributes) => unmarshal(marshal(attributes)) },
  { form: 'JSON text', there: (attributes: Attributes) => parseAttributes(printAttributes(attributes)) },
  { form: 'a copy', there: copyAttributes },
])('attributes as $form', ({ there }) => {
  // Node's own assertion: vitest's looks at `constructor`, which may be one of the names.
  test('come back as they were', () => {
    const property = fc.property(anyAttributes, (attributes) => deepStrictEqual(there(attributes), attributes));
    fc.assert(property, { seed, numRuns: 500 });
  });

  test('come back without their undefined members', () => {
    const property = fc.property(anyAttributes, (attributes) => {
      const holes = { ...attributes, hole: undefined, deep: { hole: undefined }, list: [{ hole: undefined }] };
      const { hole: _, ...whole } = { ...holes, deep: {}, list: [{}] };
      deepStrictEqual(there(holes), whole);
    });
    fc.assert(property, { seed, numRuns: 100 });
  });
});

describe('an item of DynamoDB', () => {
  test('holds each kind of value under its type', () => {
    const value = { s: 'a', n: -1.5, t: true, z: null, b: new Uint8Array([1]), l: ['x'], m: { gone: undefined } };
    expect(marshal({ value })).toEqual({
      value: {
        M: {
          s: { S: 'a' },
          n: { N: '-1.5' },
          t: { BOOL: true },
          z: { NULL: true },
          b: { B: new Uint8Array([1]) },
          l: { L: [{ S: 'x' }] },
          m: { M: {} },
        },
      },
    });
  });

  test('is read as a row also as a stream hands it to a Lambda function, its bytes in base64', () => {
    const row = aRow({ body: { bytes: new Uint8Array([1, 2, 255]) } });
    const image = marshal(attributesOf(row, 3));
    const record = JSON.parse(JSON.stringify(image, (_, value) => (value?.B ? { B: Buffer.from(value.B).toString('base64') } : value)));
    expect(unmarshalRow(record)).toStrictEqual({ ...row, rev: 3 });
  });

  test('with a set is refused: we never store one', () => {
    expect(() => unmarshal({ tags: { SS: ['a'] } })).toThrow('SS');
  });
});

describe('time to live', () => {
  test('ends a row when it expires, and one that had events when their history has ended', () => {
    const ttlOf = (eventSeq: number) => attributesOf(aRow({ expiresAt: plusMs(noon, 1), eventSeq }), 1)['ttl'];
    expect(ttlOf(0)).toBe(noon / 1000 + 1);
    expect(ttlOf(1)).toBe((noon + historyForMs) / 1000 + 1);
    expect(attributesOf(aRow({ eventSeq: 1 }), 1)).not.toHaveProperty('ttl');
  });
});
