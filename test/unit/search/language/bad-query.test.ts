import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EpochMs } from '../../../../lib/core/time.ts';
import { BadQuery } from '../../../../lib/search/language/bad-query.ts';
import { parse } from '../../../../lib/search/language/parse.ts';
import { depthMax, queryMax, regexesMax, termsMax } from '../../../../lib/search/language/query.ts';

const now = EpochMs.parse(Date.parse('2026-10-08T12:00:00Z'));

/** The error of a text that is no query. */
function faultOf(text: string): BadQuery {
  try {
    parse(text, now);
  } catch (error) {
    if (error instanceof BadQuery) return error;
    throw error;
  }
  throw new Error(`${text} is a query`);
}

const joint = 'field:value, with a field such as name:, tag: or status:';
const field = 'a field such as name:, tag: or status:';
const value = 'a value without a space before it, such as tag:db,cache';
const text = 'a value such as tag:db,cache, in quotes if it begins with a sign';
const moment = 'an age such as >7d, or a date such as <2026-10-01 or 2026-10-01..2026-10-31';
const size = 'a size such as 16GiB, >=500MB or 4GiB..8GiB';
const number = 'a number such as 8, >=4 or 2..8';
const addresses = 'an address, a network such as 10.0.0.0/8, or a range such as 10.0.0.1..10.0.0.9';
const term = 'a term there, such as web* or tag:db';
const space = 'a space before it, or quotes around the word';
const letters = 'G@, P@, E@, L@, S@, I@, J@ or N@';
const key = 'a key and a value, such as G@os:SUSE';

/** A text, the column, what is found there, what is expected, and the query that was perhaps meant. */
const bad: readonly (readonly [text: string, column: number, found: string, expected: string, didYouMean: string | undefined])[] = [
  ['tga:db', 1, 'tga', field, 'tag:db'],
  ['hostnam:web1', 1, 'hostnam', field, 'hostname:web1'],
  ['web:80', 1, 'web', field, undefined],
  [':db', 1, ':', field, undefined],
  ['grain:os:SUSE', 1, 'grain', 'grain.<key>:', 'grain.os:SUSE'],
  ['custom.:x', 1, 'custom.', 'custom.<key>:', undefined],
  ['meta.Foo:x', 1, 'meta.Foo', 'meta.<kind>.<path>:', undefined],
  ['tag=db', 4, '=', joint, 'tag:db'],
  ['zone == eu', 6, '==', joint, 'zone:eu'],
  ['name != web*', 6, '!=', joint, 'not name:web*'],
  ['ram>16GiB', 4, '>', joint, 'ram:>16GiB'],
  ['cpu=>4', 4, '=>', joint, 'cpu:>=4'],
  ['tag :db', 5, ':', joint, 'tag:db'],
  ['tag: db', 5, ' ', value, 'tag:db'],
  ['tag:', 5, '', value, 'tag:*'],
  ['tag:a, b', 7, ' ', value, 'tag:a,b'],
  ['tag:a,,b', 7, ',', value, 'tag:a,b'],
  ['tag:,a', 5, ',', value, 'tag:a'],
  ['tag:!db', 5, '!', '! before the field', 'not tag:db'],
  ['tag:=db', 5, '=db', text, 'tag:db'],
  ['tag:>5', 5, '>5', text, 'tag:">5"'],
  ['tag:(a or b)', 5, '(', space, 'tag:a,b'],
  ['web(a or b)', 4, '(', space, 'web (a or b)'],
  ['tag:[z-a]', 5, '[z-a]', 'a-z', 'tag:[a-z]'],
  ['status:orphn', 8, 'orphn', 'new, onboarded, orphan or deleted', 'status:orphan'],
  ['status:4', 8, '4', 'new, onboarded, orphan or deleted', undefined],
  ['silent:true', 8, 'true', `yes, no, ${moment}`, 'silent:yes'],
  ['kind:nodes', 6, 'nodes', 'system, node, service, process or host', 'kind:node'],
  ['cpu:four', 5, 'four', number, undefined],
  ['cpu:>=', 5, '>=', number, undefined],
  ['cpu:8..4', 5, '8..4', number, 'cpu:4..8'],
  ['cpu:1..2..3', 5, '1..2..3', number, undefined],
  ['ram:16gib', 5, '16gib', size, 'ram:16GiB'],
  ['ram:>16g', 5, '>16g', size, 'ram:>16GiB'],
  ['ram:>16 GiB', 9, 'GiB', 'the unit behind the number', 'ram:>16GiB'],
  ['ram:>= 16GiB', 5, '>= 16GiB', size, 'ram:>=16GiB'],
  ['ram:-1GiB', 5, '-1GiB', size, undefined],
  ['ram:9000TiB', 5, '9000TiB', size, undefined],
  ['seen:7d', 6, '7d', moment, 'seen:<7d'],
  ['seen:>7D', 6, '>7D', moment, 'seen:>7d'],
  ['seen:>2 weeks', 6, '>2 weeks', moment, 'seen:>2w'],
  ['seen:>7', 6, '>7', moment, 'seen:>7d'],
  ['seen:2026', 6, '2026', moment, 'seen:2026-01..2026-12'],
  ['seen:2026-2-3', 6, '2026-2-3', moment, 'seen:2026-02-03'],
  ['seen:2026-02-30', 6, '2026-02-30', moment, undefined],
  ['seen:2026-01-01..7d', 6, '2026-01-01..7d', moment, undefined],
  ['seen:9d..1d', 6, '9d..1d', moment, 'seen:1d..9d'],
  ['10.0.0.1', 1, '10.0.0.1', 'a field before it', 'ip:10.0.0.1'],
  ['fe80::1', 1, 'fe80::1', 'ip: before it', 'ip:fe80::1'],
  ['52:54:00:12:34:56', 1, '52:54:00:12:34:56', 'mac: before it', 'mac:52:54:00:12:34:56'],
  ['ip:10.0.0.0/33', 4, '10.0.0.0/33', addresses, undefined],
  ['ip:10.0.0', 4, '10.0.0', addresses, 'ip:10.0.0.*'],
  ['ip:10.0.0.1-10.0.0.9', 4, '10.0.0.1-10.0.0.9', addresses, 'ip:10.0.0.1..10.0.0.9'],
  ['ip:10.0.0.9..10.0.0.1', 4, '10.0.0.9..10.0.0.1', addresses, 'ip:10.0.0.1..10.0.0.9'],
  ['ip:10.0.0.1..::1', 4, '10.0.0.1..::1', addresses, undefined],
  ['ip:fe80::1%eth0', 4, 'fe80::1%eth0', addresses, 'ip:fe80::1'],
  ['fp:xyz', 4, 'xyz', 'up to 64 hex digits, with or without colons', undefined],
  ['mac:52:54', 5, '52:54', '12 hex digits such as 52:54:00:ab:cd:ef, or their beginning and a star', undefined],
  ['"web 1', 1, '"web 1', 'another " behind the text', '"web 1"'],
  ["tag:'a", 5, "'a", "another ' behind the text", "tag:'a'"],
  ['web\\', 4, '\\', 'the character that is meant behind it', 'web'],
  ['(web1 or web2', 14, '', 'a ) behind what it groups', '(web1 or web2)'],
  ['web1 or web2)', 13, ')', 'a ( before it', '(web1 or web2)'],
  ['()', 2, ')', term, undefined],
  ['web1 or', 8, '', term, undefined],
  ['and web1', 1, 'and', term, 'web1'],
  ['web1 and or web2', 10, 'or', term, 'web1 and web2'],
  ['web1 & web2', 6, '&', 'and, or &&', 'web1 && web2'],
  ['web1 | web2', 6, '|', 'or, or ||', 'web1 || web2'],
  ['g@os:SUSE', 1, 'g', letters, 'G@os:SUSE'],
  ['R@%web', 1, 'R', 'a list such as L@web1,web2, or a glob', undefined],
  ['X@web', 1, 'X', letters, undefined],
  ['G@os', 3, 'os', key, undefined],
  ['G@:SUSE', 3, ':SUSE', key, undefined],
  ['I@', 3, '', 'what is matched, such as G@os:SUSE', undefined],
  ['E@web(', 3, 'web(', 'one that RE2 takes', undefined],
  ['P@os:(?=S)', 6, '(?=S)', 'one that RE2 takes', undefined],
  ['cpu:~4', 5, '~4', 'a value such as cpu:>=16', undefined],
  ['name:~', 6, '~', 'one behind the sign, or name:*', undefined],
  ['name:~"a",~""', 6, '~"a",~""', 'one behind the sign, or name:*', undefined],
  ['name:~"a",b', 11, 'b', '~ before each of them', undefined],
];

describe('a query that cannot be read', () => {
  it('is known in so many forms', () => {
    expect(bad.length).toBeGreaterThanOrEqual(40);
    expect(new Set(bad.map(([text]) => text)).size).toBe(bad.length);
  });

  it.each(bad)('%s has its column, what is expected, and what was perhaps meant', (text, column, found, expected, didYouMean) => {
    const fault = faultOf(text);
    expect({ ...fault }).toMatchObject({ column, found, expected });
    expect(fault.didYouMean).toBe(didYouMean);
    expect(text.slice(column - 1).startsWith(found)).toBe(true);
  });

  it('was perhaps meant as a query that can be read', () => {
    for (const [, , , , didYouMean] of bad) if (didYouMean !== undefined) parse(didYouMean, now);
  });

  it('says in one line what happened, where, and what to write', () => {
    expect(faultOf('web1 tga:db').message).toBe('column 6: there is no field tga; did you mean web1 tag:db?');
    expect(faultOf('cpu:four').message).toBe('column 5: four is no number; write a number such as 8, >=4 or 2..8');
    expect(faultOf('status:4')).toMatchObject({ name: 'BadQuery', code: 'query.bad', retry: 'never' });
    for (const [text] of bad) expect(faultOf(text).message).toMatch(/^column \d+: [^\n]+(\?|; write [^\n]+)$/);
  });

  it('is repeated only in part where it is long, and moves no cursor', () => {
    const { message, found } = faultOf(`tag:"${'x'.repeat(5_000)}`);
    expect(message.length).toBeLessThan(400);
    expect(found).toHaveLength(5_001);
    expect(faultOf('a\u001b[2J:b').message).toContain('\\u{1b}');
  });
});

describe('a query that exceeds a limit', () => {
  it('in length is refused at the first character too many', () => {
    expect(parse('a'.repeat(queryMax), now)).toMatchObject({ op: 'term' });
    expect(faultOf('a'.repeat(queryMax + 1))).toMatchObject({ column: queryMax + 1, expected: 'a shorter query' });
  });

  it('in terms is refused at the first too many, where each value with a wildcard counts, and exact ones do not', () => {
    const terms = (count: number): string => Array.from({ length: count }, (_, n) => `w${n}`).join(' ');
    expect(parse(terms(termsMax), now)).toMatchObject({ op: 'and' });
    expect(faultOf(terms(termsMax + 1)).column).toBe(terms(termsMax).length + 2);
    expect(parse(`L@${terms(1_000).replaceAll(' ', ',')}`, now)).toMatchObject({ op: 'term' });
    expect(faultOf(`tag:${terms(termsMax + 1).replaceAll(' ', '*,')}*`).message).toContain(`more than ${termsMax} terms`);
    expect(faultOf(`${'cpu:1,2 '.repeat(termsMax / 2)}a`).message).toContain(`more than ${termsMax} terms`);
  });

  it('in depth is refused, whether by parentheses, negations, or values that make a group', () => {
    const grouped = (depth: number, inside: string): string => '('.repeat(depth) + inside + ')'.repeat(depth);
    expect(parse(grouped(depthMax, 'a'), now)).toMatchObject({ op: 'term' });
    expect(faultOf(grouped(depthMax + 1, 'a')).column).toBe(depthMax + 1);
    expect(faultOf(`${'!'.repeat(depthMax + 1)}a`).column).toBe(depthMax + 1);
    expect(faultOf(grouped(depthMax, 'cpu:1,2')).message).toContain('nest deeper');
  });

  it('in regular expressions is refused by their number, their length, and what they repeat', () => {
    expect(parse('E@a '.repeat(regexesMax), now)).toMatchObject({ op: 'and' });
    expect(faultOf('E@a '.repeat(regexesMax + 1)).message).toContain('regular expressions');
    expect(faultOf(`name:~${'a'.repeat(257)}`).message).toContain('it has 257 characters, more than 256');
    expect(faultOf('name:~.{600}').message).toContain('it repeats too much');
  });
});

describe('whatever text is given', () => {
  const pieces = fc.constantFrom(
    ...['(', ')', '"', "'", ',', '\\', '-', '!', '~', '[', ']', '*', '?', ':', '=', '>', '<', '..', '&&', '||', '@', ' ', '\n', '|'],
    ...['and', 'or', 'not', 'tag', 'tag:', 'seen:', 'ram:', 'ip:', 'cpu:', 'mac:', 'fp:', 'status:', 'silent:', 'grain.', 'meta.a.b:'],
    ...['G@', 'P@', 'E@', 'L@', 'S@', 'I@', 'J@', 'N@', 'G|@', 'web', '7d', '16GiB', '10.0.0.0/8', '2026-10-01', '::1', 'x', '1'],
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 24 }).map((all) => all.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );

  it('it is a query, or a bad one with a column within it', () => {
    fc.assert(
      fc.property(text, (given) => {
        try {
          parse(given, now);
        } catch (error) {
          expect(error).toBeInstanceOf(BadQuery);
          if (!(error instanceof BadQuery)) return;
          expect(error.column).toBeGreaterThanOrEqual(1);
          expect(error.column).toBeLessThanOrEqual(given.length + 1);
          expect(given.slice(error.column - 1).startsWith(error.found)).toBe(true);
          expect(error.didYouMean).not.toBe(given);
        }
      }),
      { seed: 93, numRuns: 10_000 },
    );
  });

  it.each([
    ...['(', ')', '"', "'", ',', '\\', '-', '!', '~', '[', ']', '*', '?', ':', '=', '>', '<', '.', '&', '|', '@', ' ', 'a', '1', '-a '],
    ...['not ', 'a or ', 'tag:', 'tag:a,', 'tag:*,', '""', '"a"', '[a', '[!', 'a(', '(a ', 'a=', '1 ', '1.', '0-', '~(', 'a  ', '\\a'],
  ])('it is read or refused at once when it is 10 KB of %j, by itself and as a value', (one) => {
    const long = one.repeat(queryMax / one.length);
    const begins = [
      '',
      'tag:',
      'seen:',
      'ram:>',
      'ip:',
      'cpu:',
      'fp:',
      'mac:',
      'name:~',
      'G@a:',
      'I@',
      'E@',
      'L@',
      'grain.a:',
      'tag:(',
      'a ',
    ];
    for (const begin of begins) {
      const given = (begin + long).slice(0, queryMax);
      try {
        parse(given, now);
      } catch (error) {
        expect(error, begin).toBeInstanceOf(BadQuery);
      }
    }
  });
});
