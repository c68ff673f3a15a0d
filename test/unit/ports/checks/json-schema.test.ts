import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fault, faultsMax, jsonTextMax, type Verdict } from '../../../../lib/core/check.ts';
import { judge } from '../../../../lib/ports/checks/json-schema.ts';
import { patternMax, patternsMax } from '../../../../lib/ports/checks/linear-pattern.ts';

const done = (verdict: Verdict): readonly Fault[] => {
  expect(verdict.is).toBe('done');
  return verdict.is === 'done' ? verdict.faults : [];
};
const faultsOf = (schema: string, data: string) => done(judge({ schema, data }));
const faults = (schema: unknown, data: unknown): readonly Fault[] => faultsOf(JSON.stringify(schema), JSON.stringify(data));
const schemaFaults = (schema: unknown): readonly Fault[] => done(judge({ schema: JSON.stringify(schema) }));
/** `deep` arrays, one in another. */
const nested = (deep: number): string => '['.repeat(deep) + ']'.repeat(deep);

describe('a document against a schema', () => {
  const command = {
    type: 'object',
    required: ['command', 'every'],
    properties: {
      command: { type: 'array', items: { type: 'string' }, minItems: 1 },
      every: { type: 'integer', minimum: 1 },
      'a/b ~%é': { anyOf: [{ type: 'string' }, { type: 'object', properties: { q: { minimum: 4 } } }] },
    },
    additionalProperties: false,
  };
  it('fits, or everything that is wrong is told at once, by place', () => {
    expect(faults(command, { command: ['a'], every: 1 })).toEqual([]);
    expect(faults(command, { command: ['a', 1, {}], more: 1, 'a/b ~%é': { q: 3 } })).toEqual([
      { pointer: '', detail: 'Instance does not have required property "every".' },
      { pointer: '/command/1', detail: 'Instance type "number" is invalid. Expected "string".' },
      { pointer: '/command/2', detail: 'Instance type "object" is invalid. Expected "string".' },
      { pointer: '/a~1b ~0%é', detail: 'Instance does not match any subschemas.' },
      { pointer: '/more', detail: 'Nothing is allowed here.' },
    ]);
  });
  it('that is no JSON, too long or too deep is a fault as a whole', () => {
    expect(faultsOf('{}', '{"a":')).toEqual([{ pointer: '', detail: expect.stringContaining('not JSON') }]);
    expect(faultsOf('{}', `"${'a'.repeat(jsonTextMax)}"`)).toEqual([{ pointer: '', detail: '65538 characters; the limit is 65536' }]);
    expect(faultsOf('{}', nested(64))).toEqual([]);
    for (const deep of [66, 30_000])
      expect(faultsOf('{}', nested(deep))).toEqual([{ pointer: '', detail: 'nested deeper than 64 levels' }]);
  });
  it('tells at most so many faults', () => expect(faults({ items: { type: 'string' } }, Array(1_000).fill(1))).toHaveLength(faultsMax));
  it('knows what the draft of 2020-12 brought', () => {
    expect(faults({ prefixItems: [{ type: 'string' }], items: false }, ['a', 1])).toEqual([
      { pointer: '/1', detail: 'Nothing is allowed here.' },
    ]);
    expect(faults({ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1, b: 2 })).toEqual([
      { pointer: '/b', detail: 'Nothing is allowed here.' },
    ]);
    expect(faults({ contains: { type: 'string' }, minContains: 2 }, ['a', 1])).toEqual([
      { pointer: '', detail: 'Array must contain at least 2 items matching schema. Only 1 items were found.' },
    ]);
    expect(faults({ $defs: { port: { type: 'integer' } }, items: { $ref: '#/$defs/port' } }, [1, 'x'])).toEqual([
      { pointer: '/1', detail: 'Instance type "string" is invalid. Expected "integer".' },
    ]);
  });
});

describe('a pattern', () => {
  it('that goes back over what it read is matched in one pass', () => {
    expect(faults({ pattern: '^(a+)+$' }, `${'a'.repeat(60_000)}b`)).toEqual([{ pointer: '', detail: 'String does not match pattern.' }]);
    expect(faultsOf('{"\\u0070attern":"^(a+)+$"}', `"${'a'.repeat(60_000)}"`)).toEqual([]);
  });
  it('of names is matched in one pass, too', () => {
    const schema = { patternProperties: { '^(a+)+$': { type: 'integer' } }, additionalProperties: false };
    expect(faults(schema, { aa: 1 })).toEqual([]);
    expect(faults(schema, { aa: 'x', [`${'a'.repeat(60)}b`]: 1 })).toEqual([
      { pointer: '/aa', detail: 'Instance type "string" is invalid. Expected "integer".' },
      { pointer: `/${'a'.repeat(60)}b`, detail: 'Nothing is allowed here.' },
    ]);
  });
  it('means what it means in ECMA-262', () => {
    for (const [pattern, fits, fails] of [
      ['^\\u{1F600}.$', '😀😀', 'ab'],
      ['^[a-z][a-z0-9-]{0,39}$', 'web-1', 'Web'],
      ['^(?<first>\\w+)/\\p{L}+$', 'a_1/é', 'a/1'],
      ['^[^]{2}$', '\n\n', '\n'],
      ['b', 'abc', 'ac'],
    ] as const) {
      expect([pattern, faults({ pattern }, fits)]).toEqual([pattern, []]);
      expect([pattern, faults({ pattern }, fails)]).not.toEqual([pattern, []]);
    }
  });
  it('that cannot be matched in one pass is a fault of its schema, by its place', () => {
    for (const pattern of ['(?=a)b', '(?<!a)b', '^(a)\\1$', '^(?<a>.)\\k<a>$', '((a{100}){100}){100}', 'a'.repeat(patternMax + 1)])
      expect(schemaFaults({ properties: { 'a/b': { pattern } } })).toEqual([
        { pointer: '/properties/a~1b/pattern', detail: expect.stringContaining('cannot be matched in linear time') },
      ]);
    expect(schemaFaults({ patternProperties: { 'a(?!/)': {} } })).toEqual([
      { pointer: '/patternProperties/a(?!~1)', detail: expect.stringContaining('cannot be matched in linear time') },
    ]);
    const many = Array.from({ length: patternsMax + 1 }, (_, n) => ({ pattern: `^${n}$` }));
    expect(schemaFaults({ anyOf: many })).toEqual([{ pointer: '', detail: `The schema has more than ${patternsMax} patterns.` }]);
  });
  it('that was stored before makes its schema unusable: nothing is held against it', () =>
    expect(judge({ schema: '{"items":{"pattern":"(?=a)b"}}', data: '[]' })).toEqual({
      is: 'unusable',
      faults: [{ pointer: '/items/pattern', detail: expect.stringContaining('(?=') }],
    }));
  it('is RegExp again once the check is over, also where it failed', () => {
    const native = RegExp;
    judge({ schema: '{"pattern":"a"}', data: '"b"' });
    judge({ schema: '{"$ref":"#"}', data: '"b"' });
    expect(RegExp).toBe(native);
    expect('aXb'.split(/x/i)).toEqual(['a', 'b']);
  });
});

describe('a schema without end', () => {
  it('is told so', () =>
    expect(faults({ $ref: '#' }, 1)).toEqual([
      { pointer: '', detail: 'cannot be checked: its schema refers to itself without end, or to too much' },
    ]));
});

describe('a schema', () => {
  it('is one of draft 2020-12, whole in itself', () => {
    for (const schema of [true, {}, { $schema: 'https://json-schema.org/draft/2020-12/schema', type: ['string', 'null'] }, { 'x-ours': 1 }])
      expect(schemaFaults(schema)).toEqual([]);
    expect(
      schemaFaults({ $defs: { a: { $anchor: 'b' }, c: false }, not: { $ref: '#/$defs/c' }, anyOf: [{ $ref: '#b' }, { $ref: '#' }] }),
    ).toEqual([]);
  });
  it('that is none is told where', () => {
    expect(schemaFaults(7)).toEqual([{ pointer: '', detail: 'Instance type "number" is invalid. Expected "object", "boolean".' }]);
    const wrong = { type: 'strin', properties: { a: { minLength: -1, pattern: '(' } }, required: 'a', items: [{}], anyOf: [] };
    const places = ['/anyOf', '/items', '/properties/a/minLength', '/properties/a/pattern', '/required', '/type'];
    expect(
      schemaFaults(wrong)
        .map(({ pointer }) => pointer)
        .toSorted(),
    ).toEqual(places);
    expect(schemaFaults({ $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual([
      { pointer: '/$schema', detail: 'Instance does not match "https://json-schema.org/draft/2020-12/schema".' },
    ]);
  });
  it('refers to nothing outside, since nothing is fetched', () => {
    expect(schemaFaults({ properties: { a: { $ref: 'https://example.test/s' }, b: { $ref: '#/$defs/no' } } })).toEqual([
      { pointer: '/properties/a/$ref', detail: '"https://example.test/s" is not in this schema, and Muster fetches no schemas.' },
      { pointer: '/properties/b/$ref', detail: '"#/$defs/no" is not in this schema, and Muster fetches no schemas.' },
    ]);
  });
  it('has no format whose check goes back over what it read', () =>
    expect(schemaFaults({ items: { format: 'url' } })).toEqual([
      { pointer: '/items/format', detail: 'This format is not in the draft: use uri.' },
    ]));
  it('has no keyword that would be passed over in silence', () =>
    expect(schemaFaults({ items: { $dynamicRef: '#a' } })).toEqual([
      { pointer: '/items/$dynamicRef', detail: 'This keyword is not supported.' },
    ]));
  it('and a document may be anything: there is an answer, and no exception', () => {
    const odd = fc.jsonValue({ maxDepth: 5 });
    const keywords = ['$id', '$ref', '$anchor', '$defs', 'type', 'items', 'properties', 'allOf', 'enum', 'pattern', '__proto__', 'minimum'];
    const schema = fc.dictionary(fc.constantFrom(...keywords), odd, { maxKeys: 4 });
    fc.assert(
      fc.property(schema, odd, (given, data) => {
        const text = JSON.stringify(given);
        const schema = judge({ schema: text });
        expect(schema.is).toBe('done');
        if (schema.is === 'done' && schema.faults.length === 0) expect(judge({ schema: text, data: JSON.stringify(data) }).is).toBe('done');
      }),
      { numRuns: 200 },
    );
  });
});
