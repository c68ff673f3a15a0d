import { describe, expect, it } from 'vitest';
import { differsAt, isSameConfiguration, placesOf } from '../../../lib/services/differs.ts';

describe('two configurations', () => {
  it('are the same in whatever order their names come, also within lists', () => {
    expect(isSameConfiguration('{"a":1,"b":[{"c":1,"d":2}]}', '{"b":[{"d":2,"c":1}],"a":1}')).toBe(true);
    expect(differsAt({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toEqual([]);
  });

  it('differ where one has an empty list and the other an empty object', () => {
    expect(isSameConfiguration('{"a":[]}', '{"a":{}}')).toBe(false);
    expect(differsAt({ a: [] }, { a: {} })).toEqual(['/a']);
  });

  it('differ at what one of them has not, and at the whole where one is no object', () => {
    expect(differsAt({ 'a/b': { c: 1 }, d: null }, { 'a/b': { c: 2 } })).toEqual(['/a~1b/c', '/d']);
    expect(placesOf(differsAt({}, 7))).toBe('the root');
  });
});
