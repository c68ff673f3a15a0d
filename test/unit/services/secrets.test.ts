import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mask, maskedConfiguration, withStored } from '../../../lib/services/rows/secrets.ts';

const secret = { type: 'string', 'x-secret': true };
const shown = (schema: object, value: unknown) => maskedConfiguration(JSON.stringify(schema), JSON.stringify(value));

describe('a secret in a configuration', () => {
  it.each<[string, object, unknown, unknown]>([
    ['a property', { properties: { password: secret } }, { password: 'p', port: 1 }, { password: mask, port: 1 }],
    ['any other property', { additionalProperties: secret }, { a: 'p' }, { a: mask }],
    ['one by a pattern', { patternProperties: { '^x': secret } }, { x: 'p' }, { x: mask }],
    ['an item', { properties: { keys: { items: secret } } }, { keys: ['p', 'q'] }, { keys: [mask, mask] }],
    ['the first item', { prefixItems: [secret] }, ['p', 'q'], [mask, 'q']],
    ['a whole object', { properties: { auth: { 'x-secret': true } } }, { auth: { user: 'u' } }, { auth: mask }],
    ['a branch that does not fit', { anyOf: [{ properties: { a: secret } }, { type: 'object' }] }, { a: 7 }, { a: mask }],
    ['what a condition says', { if: {}, else: { properties: { a: secret } } }, { a: 'p' }, { a: mask }],
    ['a reference', { $defs: { s: secret }, properties: { a: { $ref: '#/$defs/s' } } }, { a: 'p' }, { a: mask }],
    [
      'a schema that refers to itself',
      { properties: { a: secret, b: { $ref: '#' } } },
      { b: { b: { a: 'p' } } },
      { b: { b: { a: mask } } },
    ],
    [
      'an anchor, which is not looked up',
      { $defs: { s: { ...secret, $anchor: 's' } }, properties: { a: { $ref: '#s' } } },
      { a: 'p' },
      { a: mask },
    ],
    ['nothing', { properties: { a: { type: 'string', 'x-secret': false } } }, { a: 'p' }, { a: 'p' }],
  ])('is masked where %s is one', (_where, schema, value, expected) => {
    expect(shown(schema, value)).toEqual(expected);
  });

  it('is all of it where nobody knows the schema', () => {
    expect(maskedConfiguration(undefined, '{"a":1}')).toBe(mask);
  });

  const schema = { properties: { password: secret, users: { type: 'array', items: { properties: { key: secret } } } } };
  it('stays what it is where what was shown is given back, whatever else changes', () => {
    const stored = { password: 'p', users: [{ key: 'k', name: 'a' }] };
    const given = { ...(shown(schema, stored) as object), port: 2 };
    expect(withStored(JSON.stringify(schema), JSON.stringify(given), [JSON.stringify(stored)])).toEqual({
      text: JSON.stringify({ ...stored, port: 2 }),
      faults: [],
    });
  });

  it('that is given anew is taken; a mask for nothing is a fault with its place, and no mask is taken elsewhere', () => {
    const take = (given: unknown, stored?: unknown) =>
      withStored(JSON.stringify(schema), JSON.stringify(given), stored === undefined ? [] : [JSON.stringify(stored)]);
    expect(take({ password: 'new' }, { password: 'p' }).text).toBe('{"password":"new"}');
    expect(take({ password: mask }).faults).toMatchObject([{ pointer: '/password' }]);
    expect(take({ users: [{ key: mask }] }, { users: [] }).faults).toMatchObject([{ pointer: '/users/0/key' }]);
    expect(take({ name: mask }, { name: 'n' })).toEqual({ text: JSON.stringify({ name: mask }), faults: [] });
  });

  it('is never shown, and never lost, whatever it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 2 }), fc.string({ minLength: 1 }), (inner, name) => {
        const own = { properties: { a: { 'x-secret': true } }, additionalProperties: { properties: { a: secret } } };
        const stored = JSON.stringify({ a: JSON.parse(inner) as unknown, [`_${name}`]: { a: 'hidden away' } });
        const seen = JSON.stringify(maskedConfiguration(JSON.stringify(own), stored));
        expect(seen).not.toContain('hidden away');
        expect(JSON.parse(withStored(JSON.stringify(own), seen, [stored]).text)).toEqual(JSON.parse(stored));
      }),
      { seed: 44 },
    );
  });
});

describe('a schema with an `$id` of its own inside', () => {
  it('has what it describes masked as a whole, because its references do not begin at the root', () => {
    const inner = { $id: 'inner', $ref: '#/$defs/it', $defs: { it: { 'x-secret': true } } };
    const schema = JSON.stringify({ $defs: { it: {} }, properties: { password: inner, name: {} } });
    expect(maskedConfiguration(schema, '{"password":"sesame","name":"a"}')).toEqual({ password: '********', name: 'a' });
  });
});
