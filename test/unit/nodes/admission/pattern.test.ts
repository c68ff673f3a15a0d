import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fqdn } from '../../../../lib/core/ids.ts';
import { isMeant, isOneName, NamePattern, patternMax, readPattern } from '../../../../lib/nodes/admission/rows/pattern.ts';

const means = (text: string, name: string): boolean => isMeant(readPattern(text)!, name);

describe('a pattern of node names', () => {
  it.each([
    ['ssu[1-40].acme.org', ['ssu1.acme.org', 'ssu40.acme.org'], ['ssu0.acme.org', 'ssu41.acme.org', 'ssu01.acme.org', 'ssu.acme.org']],
    ['ssu[001-040].acme.org', ['ssu001.acme.org', 'ssu040.acme.org'], ['ssu1.acme.org', 'ssu041.acme.org', 'ssu0040.acme.org']],
    ['n[1-3,7].a.org,gw.a.org', ['n2.a.org', 'n7.a.org', 'gw.a.org'], ['n4.a.org', 'gw1.a.org']],
    ['web*.acme.org', ['web.acme.org', 'web-7.acme.org'], ['web.dmz.acme.org', 'xweb.acme.org', 'web.acme.com']],
    ['*-[1-2]0.acme.org', ['rack-10.acme.org', 'a-b-20.acme.org'], ['rack-30.acme.org', 'rack-1.acme.org']],
    ['node1.acme.org', ['node1.acme.org'], ['node10.acme.org', 'node1.acme.org.evil.net', 'evil.node1.acme.org']],
    ['*', ['node1.acme.org', 'a.b.c.d'], []],
    ['*.*', ['acme.org'], ['node1.acme.org']],
    ['s3-client-[1-9]', ['s3-client-7'], ['s3-client-70', 's3-client-7.acme.org']],
    ['n[0-10].a.org', ['n0.a.org', 'n10.a.org'], ['n00.a.org', 'n11.a.org']],
  ])('%s means what it shows', (text, meant, others) => {
    expect(meant.filter((name) => !means(text, name))).toEqual([]);
    expect(others.filter((name) => means(text, name))).toEqual([]);
  });

  it.each([
    '',
    'a..org',
    '.acme.org',
    'a.org.',
    'a.org,',
    'a[1-2.org',
    'a]1[.org',
    'a[].org',
    'a[2-1].org',
    'a[1-040].org',
    'a[1-2-3].org',
    'a[x].org',
    'a[1.2].org',
    'a?.org',
    '(a+)+.org',
    'a_b.org',
    'ä.org',
    '*,',
    'a[1-9999999999].org',
    'a.org\u0000',
    `${'a'.repeat(patternMax)}.org`,
  ])('is not read from %j', (text) => {
    expect(readPattern(text)).toBeUndefined();
    expect(NamePattern.safeParse(text).success).toBe(false);
  });

  it('is one name when nothing in it stands for others', () => {
    expect(isOneName(readPattern('node1.acme.org')!)).toBe(true);
    for (const text of ['node[1].acme.org', 'a.org,b.org', '*.acme.org', '*']) expect(isOneName(readPattern(text)!), text).toBe(false);
  });

  it('is read in capitals as in small letters', () => {
    expect(NamePattern.parse('SSU[1-4].Acme.ORG')).toBe('ssu[1-4].acme.org');
  });
});

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));

describe('whatever is asked of a pattern', () => {
  it('a name means itself and nothing else', () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(isOneName(readPattern(one)!)).toBe(true);
        expect(means(one, one)).toBe(true);
        expect(means(one, other)).toBe(one === other);
      }),
    );
  });

  it('a range means exactly the numbers in it, as they are counted', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(2_000), fc.nat(3_000), fc.nat(5), (a, b, n, width) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect(means(`n[${from}-${to}].a.org`, `n${n}.a.org`)).toBe(n >= from && n <= to);
        const wide = (k: number) => String(k).padStart(6, '0');
        expect(means(`n[${wide(from)}-${wide(to)}].a.org`, `n${String(n).padStart(width, '0')}.a.org`)).toBe(
          width >= 6 && n >= from && n <= to,
        );
        expect(means(`n[${wide(from)}-${wide(to)}].a.org`, `n${wide(n)}.a.org`)).toBe(n >= from && n <= to);
      }),
    );
  });

  it('stars mean what an expression of the same letters does', () => {
    const piece = fc.constantFrom('*', 'a', 'b', '-', '1');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.stringMatching(/^[ab1-]{1,8}$/), (pieces, text) => {
        const expected = new RegExp(`^${pieces.map((one) => (one === '*' ? '.*' : one)).join('')}$`).test(text);
        expect(means(`${pieces.join('')}.org`, `${text}.org`)).toBe(expected);
      }),
    );
  });

  it('it never throws, and what it reads can be asked of any name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a1.*,[\]-]{0,20}$/)), name, (text, one) => {
        const pattern = readPattern(text);
        expect(typeof (pattern === undefined || isMeant(pattern, one))).toBe('boolean');
        expect(NamePattern.safeParse(text).success).toBe(pattern !== undefined);
      }),
    );
  });

  it('answers in no time, whatever the pattern', () => {
    const worst = [
      `${'*a'.repeat(240)}.org`,
      `${'*'.repeat(490)}.org`,
      `${'[0-9]*'.repeat(80)}.org`,
      `${'[0-999999999]'.repeat(37)}.org`,
      '*,'.repeat(249).concat('*'),
    ];
    const longest = ['a', '1'].map((one) => Fqdn.parse(`${one.repeat(63)}.org`));
    const began = performance.now();
    for (const text of worst) for (const one of longest) means(text, one);
    // Ten matches at the limits of both; a matcher that goes back would not end within the age of the universe.
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
