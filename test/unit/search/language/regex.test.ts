import { describe, expect, it } from 'vitest';
import { readRegex } from '../../../../lib/search/language/regex.ts';

function matches(pattern: string, value: string, folds = false): boolean {
  const read = readRegex(pattern, { folds });
  if ('fault' in read) throw new Error(read.fault);
  return read.test(value);
}

describe('a regular expression', () => {
  it('is found anywhere in a value, unless it is anchored', () => {
    expect(['eb\\d', '^web', '1$', '^web1$', ''].map((pattern) => matches(pattern, 'web1'))).toEqual([true, true, true, true, true]);
    expect(['^eb', 'we$', 'WEB'].map((pattern) => matches(pattern, 'web1'))).toEqual([false, false, false]);
    expect(matches('WEB', 'web1', true)).toBe(true);
  });

  it('is refused with its reason where it cannot be matched in linear time, or is too large', () => {
    const faults = ['(?=a)', '(?<!a)b', '(a)\\1', 'a**', '(', '[z-a]', 'a'.repeat(257), 'a{501}', '(a{40}){40}', 'a{2000}'].map((pattern) =>
      readRegex(pattern, { folds: true }),
    );
    expect(faults).toEqual([
      { fault: 'invalid or unsupported Perl syntax: `(?=`' },
      { fault: 'invalid named capture: `(?<!a)b`' },
      { fault: 'invalid escape sequence: `\\1`' },
      { fault: 'invalid nested repetition operator: `**`' },
      { fault: 'missing closing ): `(`' },
      { fault: 'invalid character class range: `z-a`' },
      { fault: 'it has 257 characters, more than 256' },
      { fault: 'it repeats too much' },
      { fault: 'invalid repeat count: `{40}`' },
      { fault: 'invalid repeat count: `{2000}`' },
    ]);
  });

  it('that ruins a backtracking engine is matched all the same', () => {
    expect(matches('^(a+)+$', `${'a'.repeat(50_000)}b`)).toBe(false);
    expect(matches('(x+x+)+y', 'x'.repeat(50_000))).toBe(false);
  });
});
