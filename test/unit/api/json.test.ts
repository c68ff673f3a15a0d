import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyBytesMax, parseBody } from '../../../lib/api/json.ts';
import { Refusal } from '../../../lib/api/problem.ts';

const read = (text: string): unknown => {
  try {
    return { is: parseBody(text) };
  } catch (error) {
    if (error instanceof Refusal) return error.type;
    throw error;
  }
};

/** A value as JSON, in which one member of one object, however deep, stands twice. */
const twice: fc.Arbitrary<string> = fc
  .record({
    outer: fc.json({ maxDepth: 2 }),
    key: fc.string({ unit: 'binary' }),
    values: fc.tuple(fc.json(), fc.json()),
    depth: fc.nat({ max: 5 }),
  })
  .map(({ outer, key, values: [one, other], depth }) => {
    const object = `{"x${key.length}":${outer},${JSON.stringify(key)}:${one},${escaped(key)}:${other}}`;
    return `${'[{"a":'.repeat(depth)}${object}${'}]'.repeat(depth)}`;
  })
  .filter((text) => !text.includes('__proto__'));

/** A key as JSON, every letter as an escape. */
const escaped = (key: string): string =>
  `"${[...key.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;

describe('a body', () => {
  it('is what JSON.parse gives, for any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), (text) => {
        fc.pre(!text.includes('__proto__'));

        expect(read(text)).toEqual({ is: JSON.parse(text) });
      }),
      { seed: 8259, numRuns: 1_000 },
    );
  });

  it('is refused when a key stands twice in an object, spelt the same or with escapes', () => {
    expect(read('{"a":1,"a":1}')).toBe('malformed-json');
    fc.assert(
      fc.property(twice, (text) => {
        expect(read(text)).toBe('malformed-json');
      }),
      { seed: 8259, numRuns: 1_000 },
    );
  });

  it('may have the same key in different objects, and colons in its strings', () => {
    const value = { a: { a: [{ a: ':' }, { a: '":"' }] }, '::': '\\":' };

    expect(read(JSON.stringify(value))).toEqual({ is: value });
  });

  it.each([
    ['nothing', ''],
    ['half of it', '{"a":'],
    ['two of them', '{}{}'],
    ['a byte order mark before it', '\ufeff{}'],
    ['not a number', '{"a":NaN}'],
    ['no end of a number', '{"a":Infinity}'],
    ['a comma too many', '{"a":1,}'],
    ['a comment', '{}//'],
    ['apostrophes', "{'a':1}"],
    ['a NUL', '{"a":\0}'],
    ['a line break in a string', '{"a":"\n"}'],
    ['__proto__', '{"a":[{"__proto__":{}}]}'],
    ['__proto__ in escapes', '{"\\u005f_proto__":{}}'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['ten thousand levels', '{"a":'.repeat(10_000)],
  ])('is refused as no JSON of ours: %s', (_what, text) => {
    expect(read(text)).toBe('malformed-json');
  });

  it('has 32 levels and 64 KiB at most, counted in bytes', () => {
    const deep = `${'['.repeat(32)}${']'.repeat(32)}`;
    const full = JSON.stringify('x'.repeat(bodyBytesMax - 2));

    expect(read(deep)).toEqual({ is: JSON.parse(deep) });
    expect(read(full)).toEqual({ is: JSON.parse(full) });
    expect(read(`${full} `)).toBe('too-large');
    expect(read(JSON.stringify('é'.repeat(bodyBytesMax / 2)))).toBe('too-large');
  });

  it('is judged in a time that grows with its length alone', () => {
    const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n])));
    const before = process.cpuUsage();

    for (let n = 0; n < 20; n++) read(keys);

    const { user } = process.cpuUsage(before);
    expect(user / 20).toBeLessThan(50_000);
  });
});
