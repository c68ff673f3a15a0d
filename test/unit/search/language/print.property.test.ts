import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { EpochMs } from '../../../../lib/core/time.ts';
import { BadQuery } from '../../../../lib/search/language/bad-query.ts';
import { globOf, readGlob } from '../../../../lib/search/language/glob.ts';
import { parse } from '../../../../lib/search/language/parse.ts';
import { print } from '../../../../lib/search/language/print.ts';
import type { AddressRange, Query, Range, Term, Test } from '../../../../lib/search/language/query.ts';

const now = EpochMs.parse(Date.parse('2026-10-08T12:00:00Z'));

/** A tree without what it keeps of the text that it was read from. */
function bare(query: Query): unknown {
  switch (query.op) {
    case 'all':
      return query;
    case 'term':
      return { op: query.op, field: query.field, test: query.test };
    case 'not':
      return { op: query.op, of: bare(query.of) };
    case 'and':
    case 'or':
      return { op: query.op, of: query.of.map(bare) };
  }
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab1.-_:,"\'\\ ()*?[]!<>=~&|@#é\n'), maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const isInOrder = (glob: string): boolean =>
  readGlob(glob).every((part) => part.is !== 'class' || part.ranges.every(({ from, to }) => from <= to));
const glob = text.map((one) => globOf(readGlob(one))).filter((one) => one !== '*' && isInOrder(one));
const globs = fc.array(glob, { minLength: 1, maxLength: 3 }).map((any): Test => ({ is: 'glob', any }));
const regexes = fc
  .array(
    text.map((one) => RE2JS.quote(one)).filter((one) => one !== ''),
    { minLength: 1, maxLength: 2 },
  )
  .map((any): Test => ({ is: 'regex', any }));
const present = fc.constant<Test>({ is: 'present' });

const between = (version: 4 | 6, address: fc.Arbitrary<bigint>): fc.Arbitrary<AddressRange> =>
  fc.tuple(address, address).map(([a, b]) => ({ version, from: a < b ? a : b, to: a < b ? b : a }));
const network = (version: 4 | 6, bits: number, address: fc.Arbitrary<bigint>): fc.Arbitrary<AddressRange> =>
  fc.tuple(address, fc.integer({ min: 0, max: bits })).map(([one, length]) => {
    const size = 1n << BigInt(bits - length);
    return { version, from: one - (one % size), to: one - (one % size) + size - 1n };
  });
const v4 = fc.bigInt({ min: 0n, max: (1n << 32n) - 1n });
/** Not among those that are IPv4 addresses, mapped. */
const v6 = fc.bigInt({ min: 1n << 112n, max: (1n << 128n) - 1n });
const networks = fc
  .array(fc.oneof(between(4, v4), between(6, v6), network(4, 32, v4), network(6, 128, v6)), { minLength: 1, maxLength: 3 })
  .map((any): Test => ({ is: 'network', any }));

/** Ranges of these numbers, closed and open, with both ends or one. */
const ranges = (number: fc.Arbitrary<number>): fc.Arbitrary<Test> =>
  fc
    .tuple(number, number, fc.boolean(), fc.boolean(), fc.constantFrom('both', 'from', 'to'))
    .map(([a, b, fromOpen, toOpen, ends]): Range => {
      const from = { from: Math.min(a, b), ...(fromOpen && { fromOpen }) };
      const to = { to: Math.max(a, b), ...(toOpen && { toOpen }) };
      return { is: 'range', ...(ends !== 'to' && from), ...(ends !== 'from' && to) };
    });
const decimals = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((n) => n / 1_000 + 0);
const bytes = fc.oneof(
  fc.nat({ max: 2 ** 30 }),
  fc.nat({ max: 8_000 }).map((n) => n * 1_024 ** 3),
  fc.maxSafeNat(),
);
const moment = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });

const term = (field: string, ...tests: readonly fc.Arbitrary<Test>[]): fc.Arbitrary<Term> =>
  fc.oneof(present, ...tests).map((test) => ({ op: 'term', field, test, at: 1, text: '' }));
const statuses = fc.subarray(['new', 'onboarded', 'orphan', 'deleted'], { minLength: 1 }).map((any): Test => ({ is: 'glob', any }));
const terms: fc.Arbitrary<Term> = fc.oneof(
  ...['name', 'tag', 'os', 'accepted-by', 'grain.a.b', 'meta.channels.base'].map((field) => term(field, globs, regexes)),
  term('status', statuses),
  term('ip', networks),
  term('cpu', ranges(decimals)),
  term('grain.n', ranges(decimals)),
  term('ram', ranges(bytes)),
  term('seen', ranges(moment)),
  term('silent', ranges(moment), fc.constant<Test>({ is: 'glob', any: ['yes'] })),
);
const { query } = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    terms,
    tie('query').map((of): Query => ({ op: 'not', of })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('query'), { minLength: 2, maxLength: 3 }))
      .map(([op, of]): Query => ({ op, of })),
  ),
}));
/** Expressions are few in a query: a tree with more of them is none. */
const regexesIn = (one: Query): number => {
  if (one.op === 'all') return 0;
  if (one.op === 'term') return one.test.is === 'regex' ? one.test.any.length : 0;
  return one.op === 'not' ? regexesIn(one.of) : one.of.reduce((sum, each) => sum + regexesIn(each), 0);
};

describe('whatever tree a query is', () => {
  it('it is the same tree when its text is read', () => {
    fc.assert(
      fc.property(query, (tree) => {
        fc.pre(regexesIn(tree) <= 10);
        expect(bare(parse(print(tree), now))).toEqual(bare(tree));
      }),
      { seed: 91, numRuns: 20_000 },
    );
  });
});

describe('whatever text a query has', () => {
  const pieces = fc.constantFrom(
    ...['(', ')', ' ', ' ', ' and ', ' or ', '-', 'web*', 'tag:db', 'tag:a,"b c*"', 'cpu:>4,2', 'seen:>7d', 'seen:2026-10', 'ram:1..2GiB'],
    ...[
      'ip:10.*,::1',
      'G@a:b:c',
      'P@os:S(u|U)SE',
      'E@^a|b',
      'L@a,b*',
      'I@a:b',
      'name:~"x y"',
      'fp:3f',
      'mac:5254*',
      'status:0',
      '[!a-c]x',
      '"*"',
    ],
  );
  it('its canonical text is the same query, and is canonical itself', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => {
        try {
          const tree = parse(parts.join(''), now);
          const again = parse(print(tree), now);
          expect(bare(again)).toEqual(bare(tree));
          expect(print(again)).toBe(print(tree));
          read += 1;
        } catch (error) {
          if (!(error instanceof BadQuery)) throw error;
        }
      }),
      { seed: 93, numRuns: 10_000 },
    );
    expect(read).toBeGreaterThan(1_000);
  });
});
