import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeGlob, exactOf, globMatcher, globOf, literalsOf, type Part, readGlob } from '../../../../lib/search/language/glob.ts';

const matches = (glob: string, value: string, folds = false): boolean => globMatcher(glob, { folds })(value);

/** Whether parts match a value, by trying every way: what a matcher must agree with, however slow this is. */
function naively(parts: readonly Part[], value: string, folds: boolean): boolean {
  const [part, ...rest] = parts;
  if (!part) return value === '';
  switch (part.is) {
    case 'many':
      return Array.from({ length: value.length + 1 }, (_, n) => n).some((n) => naively(rest, value.slice(n), folds));
    case 'text': {
      const begin = value.slice(0, part.text.length);
      const isSame = folds ? begin.toLowerCase() === part.text.toLowerCase() : begin === part.text;
      return isSame && naively(rest, value.slice(part.text.length), folds);
    }
    case 'one':
    case 'class': {
      if (value === '') return false;
      const letters = folds ? [value[0]!.toLowerCase(), value[0]!.toUpperCase()] : [value[0]!];
      const isIn =
        part.is === 'one' || part.isNegated !== letters.some((one) => part.ranges.some(({ from, to }) => from <= one && one <= to));
      return isIn && naively(rest, value.slice(1), folds);
    }
  }
}

const letters = fc.constantFrom('a', 'b', 'B', '-', '*');
const value = fc.string({ unit: letters, maxLength: 9 });
const glob = fc
  .array(fc.constantFrom('a', 'b', 'B', '-', '*', '?', '[ab]', '[!a]', '[a-b]', '[]a]', '\\*', '\\[', '[', ']', '\\'), { maxLength: 8 })
  .map((parts) => parts.join(''));

describe('a glob', () => {
  it.each([
    ['web1', ['web1'], ['web', 'web12', 'xweb1', 'WEB1', '']],
    ['web*', ['web', 'web1', 'web*'], ['we', 'xweb']],
    ['*.acme.org', ['a.acme.org', '.acme.org'], ['acme.org', 'a.acme.org.']],
    ['w*b*1', ['wb1', 'web-b1', 'w1b11'], ['wb', 'w1']],
    ['web?', ['web1', 'webx'], ['web', 'web12']],
    ['web[1-3x]', ['web1', 'web3', 'webx'], ['web4', 'web', 'web-']],
    ['web[!1-3]', ['web4', 'web-'], ['web1', 'web']],
    ['web[^1]', ['web2', 'web^'], ['web1']],
    ['[]-]', [']', '-'], ['[', '']],
    ['[!]]', ['a'], [']']],
    ['[z-a]', [], ['a', 'm', 'z', '']],
    ['a\\*b\\?\\[c\\]\\\\', ['a*b?[c]\\'], ['axb?[c]\\']],
    ['[\\]a]', [']', 'a'], ['\\']],
    ['a[b', ['a[b'], ['ab', 'a']],
    ['a\\', ['a\\'], ['a']],
    ['', [''], ['a']],
    ['**', ['', 'a', 'ab'], []],
    ['*a*a*', ['aa', 'xaxax'], ['a', 'xa']],
    ['a*a', ['aa', 'aba'], ['a']],
  ])('%s matches whole values', (pattern, inside, outside) => {
    expect(inside.filter((one) => !matches(pattern, one))).toEqual([]);
    expect(outside.filter((one) => matches(pattern, one))).toEqual([]);
  });

  it('that folds takes upper and lower case for the same, in classes too', () => {
    for (const [pattern, one] of [
      ['WEB*', 'web1'],
      ['web*', 'WEB1'],
      ['[A-C]x', 'bX'],
      ['[a-c]x', 'BX'],
    ] as const)
      expect(matches(pattern, one, true), `${pattern} and ${one}`).toBe(true);
    expect(matches('[!A]', 'a', true)).toBe(false);
    expect(matches('WEB*', 'web1')).toBe(false);
  });

  it('matches as the slowest of all matchers does', () => {
    fc.assert(
      fc.property(glob, value, fc.boolean(), (pattern, one, folds) => {
        expect(matches(pattern, one, folds)).toBe(naively(readGlob(pattern), one, folds));
      }),
      { seed: 9, numRuns: 20_000 },
    );
  });

  it('has literals that every value which it matches has, too', () => {
    fc.assert(
      fc.property(glob, value, (pattern, one) => {
        const { prefix, suffix, infix } = literalsOf(pattern);
        if (matches(pattern, one)) expect([one.startsWith(prefix), one.endsWith(suffix), one.includes(infix)]).toEqual([true, true, true]);
      }),
      { seed: 9, numRuns: 20_000 },
    );
  });

  it('is exact for the one text that it matches, or not at all', () => {
    expect(['web1', 'web\\*', '', '[', 'web*', 'w?', '[a]'].map(exactOf)).toEqual([
      'web1',
      'web*',
      '',
      '[',
      undefined,
      undefined,
      undefined,
    ]);
    expect(literalsOf('web*-db?.acme.org')).toEqual({ prefix: 'web', suffix: '.acme.org', infix: '.acme.org' });
    expect(literalsOf('*')).toEqual({ prefix: '', suffix: '', infix: '' });
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(exactOf(escapeGlob(text))).toBe(text);
      }),
      { seed: 9 },
    );
  });

  it('is the same glob when it is written again from its parts', () => {
    const any = fc.oneof(glob, fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(any, (pattern) => {
        const parts = readGlob(pattern);
        expect(readGlob(globOf(parts))).toEqual(parts);
        expect(globOf(readGlob(globOf(parts)))).toBe(globOf(parts));
      }),
      { seed: 9, numRuns: 5_000 },
    );
  });

  it('of the worst kinds is matched all the same', () => {
    const long = 'a'.repeat(10_000);
    expect(matches(`${'a*'.repeat(5_000)}b`, long)).toBe(false);
    expect(matches('*'.repeat(10_000), long)).toBe(true);
    expect(matches(`*${'?'.repeat(200)}b*`, long)).toBe(false);
    expect(readGlob('['.repeat(100_000))).toEqual([{ is: 'text', text: '['.repeat(100_000) }]);
    expect(readGlob('[!]'.repeat(3_000))).toHaveLength(1_500);
  });
});
