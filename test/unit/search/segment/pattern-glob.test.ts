import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../../../lib/search/language/glob.ts';
import { readRegex } from '../../../../lib/search/language/regex.ts';
import { globAround } from '../../../../lib/search/segment/pattern-glob.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  '-',
  '.',
  '\\.',
  '\\-',
  '\\d',
  '\\b',
  '[ab]',
  '[^a]',
  '[]a]',
  '[[:alpha:]]',
  '(a|b)',
  '(?:ab)',
  '(a(b))',
  '(?i:A)',
  'A',
  '^',
  '$',
  '\\x61',
  '|',
);
const quantifier = fc.constantFrom('', '', '', '', '*', '+', '?', '{2}', '{0,1}', '*?', '{a');
const aPattern = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(atom, quantifier), { maxLength: 6 }), fc.boolean())
  .map(([begins, parts, ends]) => `${begins ? '^' : ''}${parts.map((part) => part.join('')).join('')}${ends ? '$' : ''}`);
const aName = fc.stringMatching(/^[ab0.{-]{0,8}$/);

describe('the glob around a regular expression', () => {
  it('matches every name in which the expression is found', () => {
    fc.assert(
      fc.property(aPattern, fc.array(aName, { minLength: 20, maxLength: 20 }), fc.boolean(), (pattern, names, folds) => {
        const regex = readRegex(pattern, { folds });
        fc.pre('test' in regex);
        const glob = globMatcher(globAround(pattern), { folds: false });
        for (const name of names) expect(regex.test(name) && !glob(name), `${name} by ${globAround(pattern)}`).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves little to try, where the expression says much', () => {
    expect(globAround('^web0.*7$')).toBe('web0*7');
    expect(globAround('^(db|web)..z.*\\.lab\\.org$')).toBe('*??z*.lab.org');
    expect(globAround('DC[0-9]+\\.')).toBe('*dc?*.*');
    expect(globAround('a|b')).toBe('*');
  });
});
