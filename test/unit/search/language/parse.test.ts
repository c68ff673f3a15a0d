import { describe, expect, it } from 'vitest';
import { EpochMs } from '../../../../lib/core/time.ts';
import { describe as describeTerm } from '../../../../lib/search/language/describe.ts';
import { parse } from '../../../../lib/search/language/parse.ts';
import { print } from '../../../../lib/search/language/print.ts';
import type { Query, Test } from '../../../../lib/search/language/query.ts';

const at = (iso: string): number => Date.parse(iso);
const now = EpochMs.parse(at('2026-10-08T12:00:00Z'));
const read = (text: string): Query => parse(text, now);

/** What a text tests, where it is one term. */
function testOf(text: string): Test {
  const query = read(text);
  if (query.op !== 'term') throw new Error(`${text} is no single term`);
  return query.test;
}
const glob = (...any: string[]): Test => ({ is: 'glob', any });
const regex = (...any: string[]): Test => ({ is: 'regex', any });
const range = (ends: Partial<Extract<Test, { is: 'range' }>>): Test => ({ is: 'range', ...ends });
const v4 = (from: bigint, to: bigint): Test => ({ is: 'network', any: [{ version: 4, from, to }] });
const gib = 1_024 ** 3;

describe('a query', () => {
  it('that is empty is about every system', () => {
    expect(['', '  \n'].map(read)).toEqual([{ op: 'all' }, { op: 'all' }]);
  });

  it('keeps where each term was, and how it was written', () => {
    expect(read('tag:db and  -web*')).toEqual({
      op: 'and',
      of: [
        { op: 'term', field: 'tag', test: glob('db'), at: 1, text: 'tag:db' },
        { op: 'not', of: { op: 'term', field: 'name', test: glob('web*'), at: 14, text: 'web*' } },
      ],
    });
  });

  it.each([
    ['a b', 'name:a and name:b'],
    ['a and b', 'name:a and name:b'],
    ['a && b', 'name:a and name:b'],
    ['a&&b||c', 'name:a and name:b or name:c'],
    ['a AND b Or NOT c', 'name:a and name:b or not name:c'],
    ['a or b c', 'name:a or name:b and name:c'],
    ['(a or b) c', '(name:a or name:b) and name:c'],
    ['(a or b)c', '(name:a or name:b) and name:c'],
    ['a or(b)', 'name:a or name:b'],
    ['a (b c)', 'name:a and (name:b and name:c)'],
    ['-a', 'not name:a'],
    ['!a', 'not name:a'],
    ['! a', 'not name:a'],
    ['not not a', 'not not name:a'],
    ['-(a or b)', 'not (name:a or name:b)'],
    ['a -b !c not d', 'name:a and not name:b and not name:c and not name:d'],
    ['not a b', 'not name:a and name:b'],
    ['a-b', 'name:a-b'],
    ['((a))', 'name:a'],
    ['"and" or \'or\'', 'name:and or name:or'],
    ['android nothing order', 'name:android and name:nothing and name:order'],
    ['cpu:2,>8', 'cpu:2 or cpu:>8'],
    ['a cpu:2,>8', 'name:a and (cpu:2 or cpu:>8)'],
    ['silent:yes,>7d', 'silent:yes or silent:<2026-10-01T12:00:00.000Z'],
  ])('%s is %s', (text, canonical) => {
    expect(print(read(text))).toBe(canonical);
  });
});

describe('a value', () => {
  it.each([
    ['web1', 'web1'],
    ['web*.acme.org', 'web*.acme.org'],
    ['name:web?', 'web?'],
    ['name:web[0-9]', 'web[0-9]'],
    ['"web*"', 'web\\*'],
    ['web\\*', 'web\\*'],
    ['web"*"1*', 'web\\*1*'],
    ["tag:'a b'", 'a b'],
    ['tag:a\\ b', 'a b'],
    ['tag:a\\,b', 'a,b'],
    ['tag:"a,b"', 'a,b'],
    ['tag:"a\\"b\\\\c\\d"', 'a"b\\\\c\\\\d'],
    ['tag:"it\'s"', "it's"],
    ['tag:""', ''],
    ['tag:db:1', 'db:1'],
    ['tag:":db"', ':db'],
    ['"tag:db"', 'tag:db'],
    ['custom.dept:R&D', 'R&D'],
    ['custom.a:-5', '-5'],
    ['tag:R|D', 'R|D'],
  ])('%s is the glob %s', (text, is) => {
    expect(testOf(text)).toEqual(glob(is));
  });

  it.each<readonly [string, Test]>([
    ['tag:*', { is: 'present' }],
    ['tag:**', { is: 'present' }],
    ['cpu:*', { is: 'present' }],
    ['seen:*', { is: 'present' }],
    ['tag:"*"', glob('\\*')],
    ['tag:a,b*,"c d"', glob('a', 'b*', 'c d')],
    ['tag:*,a', glob('*', 'a')],
    ['status:new', glob('new')],
    ['status:0,Orphan,3', glob('new', 'orphan', 'deleted')],
    ['silent:NO', glob('no')],
    ['pinned:yes', glob('yes')],
    ['pinned:n7.*', glob('n7.*')],
    ['kind:node', glob('node')],
    [`fp:${'3F:'.repeat(31)}3f`, glob('3f'.repeat(32))],
    ['id:3f9a', glob('3f9a*')],
    ['fp:3f*9a', glob('3f*9a')],
    ['mac:52-54-00-AB-CD-EF', glob('52:54:00:ab:cd:ef')],
    ['mac:5254.00ab.cdef', glob('52:54:00:ab:cd:ef')],
    ['mac:525400*', glob('52:54:00:*')],
    ['mac:*:ef', glob('*:ef')],
    ['name:~web(1|2),x', regex('web(1|2),x')],
    ['~^web\\d{1,3}$', regex('^web\\d{1,3}$')],
    ['os:~"SLES 15",~"Leap"', regex('SLES 15', 'Leap')],
    ['accepted-by:joe@acme.org', glob('joe@acme.org')],
  ])('%s tests that', (text, test) => {
    expect(testOf(text)).toEqual(test);
  });

  it('of a regular expression ends at a parenthesis that it did not open', () => {
    expect(print(read('(~web(1|2)[)(]x or b)'))).toBe('name:~"web(1|2)[)(]x" or name:b');
    expect(print(read('(name:~\\) or b)'))).toBe('name:~"\\\\)" or name:b');
  });
});

describe('a number', () => {
  it.each([
    ['cpu:4', { from: 4, to: 4 }],
    ['cpu:>4', { from: 4, fromOpen: true }],
    ['cpu:<4', { to: 4, toOpen: true }],
    ['cpu:>=4', { from: 4 }],
    ['cpu:<=4.5', { to: 4.5 }],
    ['cpu:4..8', { from: 4, to: 8 }],
    ['cpu:4..', { from: 4 }],
    ['cpu:..8', { to: 8 }],
    ['cpu:>4..<8', { from: 4, fromOpen: true, to: 8, toOpen: true }],
    ['CPUS:-0', { from: 0, to: 0 }],
    ['ram:4096', { from: 4_096, to: 4_096 }],
    ['ram:>=16GiB', { from: 16 * gib }],
    ['ram:1.5KiB', { from: 1_536, to: 1_536 }],
    ['ram:>500MB', { from: 500_000_000, fromOpen: true }],
    ['ram:1kB..2TB', { from: 1_000, to: 2_000_000_000_000 }],
    ['ram:<1TiB', { to: 1_024 * gib, toOpen: true }],
    ['ram:>3MiB', { from: 3 * 1_024 ** 2, fromOpen: true }],
    ['grain.num_gpus:>=2', { from: 2 }],
    ['custom.rank:1..5', { from: 1, to: 5 }],
    ['meta.hardware.disks:<-1', { to: -1, toOpen: true }],
  ])('%s is in that range', (text, ends) => {
    expect(testOf(text)).toEqual(range(ends));
  });

  it('in a field of text is text, unless it is compared', () => {
    expect(['grain.a:4', 'grain.a:1..b', 'grain.a:">4"', 'custom.version:1.2.3'].map(testOf)).toEqual(
      ['4', '1..b', '>4', '1.2.3'].map((text) => glob(text)),
    );
  });
});

describe('a moment', () => {
  it.each([
    ['seen:>7d', { to: at('2026-10-01T12:00:00Z'), toOpen: true }],
    ['seen:>=1w', { to: at('2026-10-01T12:00:00Z') }],
    ['seen:<90s', { from: at('2026-10-08T11:58:30Z'), fromOpen: true }],
    ['seen:<=1.5h', { from: at('2026-10-08T10:30:00Z') }],
    ['seen:5m..2h', { from: at('2026-10-08T10:00:00Z'), to: at('2026-10-08T11:55:00Z') }],
    ['seen:>99999w', { to: 0, toOpen: true }],
    ['silent:>7d', { to: at('2026-10-01T12:00:00Z'), toOpen: true }],
    ['seen:<2026-10-01', { to: at('2026-10-01T00:00:00Z'), toOpen: true }],
    ['seen:<=2026-10-01', { to: at('2026-10-01T23:59:59.999Z') }],
    ['seen:>2026-10-01', { from: at('2026-10-02T00:00:00Z') }],
    ['seen:>=2026-10-01', { from: at('2026-10-01T00:00:00Z') }],
    ['seen:2026-10-01', { from: at('2026-10-01T00:00:00Z'), to: at('2026-10-01T23:59:59.999Z') }],
    ['registered:2024-02', { from: at('2024-02-01T00:00:00Z'), to: at('2024-02-29T23:59:59.999Z') }],
    ['seen:2026-10-01..2026-11-01', { from: at('2026-10-01T00:00:00Z'), to: at('2026-11-01T23:59:59.999Z') }],
    ['seen:>=2026-10-01T14:30+02:00', { from: at('2026-10-01T12:30:00Z') }],
    ['seen:>2026-10-01T14:30:15-01:30', { from: at('2026-10-01T16:00:16Z') }],
    ['seen:>2026-10-01T14:30:15.250Z', { from: at('2026-10-01T14:30:15.250Z'), fromOpen: true }],
  ])('%s lies between these', (text, ends) => {
    expect(testOf(text)).toEqual(range(ends));
  });
});

describe('an address', () => {
  it.each([
    ['ip:10.1.2.3', v4(0x0a010203n, 0x0a010203n)],
    ['cidr:10.0.0.0/8', v4(0x0a000000n, 0x0affffffn)],
    ['ip:10.1.2.3/8', v4(0x0a000000n, 0x0affffffn)],
    ['ip:10.1.*', v4(0x0a010000n, 0x0a01ffffn)],
    ['ip:10.1.*.*', v4(0x0a010000n, 0x0a01ffffn)],
    ['ip:10.0.0.1..10.0.0.9', v4(0x0a000001n, 0x0a000009n)],
    ['ip:::ffff:10.0.0.0/104', v4(0x0a000000n, 0x0affffffn)],
    ['ip:0.0.0.0/0', v4(0n, 0xffffffffn)],
    ['S@10.0.0.0/8', v4(0x0a000000n, 0x0affffffn)],
  ])('%s is in that range', (text, test) => {
    expect(testOf(text)).toEqual(test);
  });

  it('of IPv6 has 128 bits, and is written as RFC 5952 has it', () => {
    expect(testOf('ip:2001:db8::/32')).toEqual({
      is: 'network',
      any: [{ version: 6, from: 0x2001_0db8n << 96n, to: (0x2001_0db9n << 96n) - 1n }],
    });
    const shown = [
      ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
      ['::', '::'],
      ['::/0', '::/0'],
      ['1::', '1::'],
      ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
      ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
      ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
      ['10:0:0:10:0:0:0:0', '10:0:0:10::'],
      ['::1..::9', '::1..::9'],
    ];
    for (const [written, canonical] of shown) expect(print(read(`ip:${written}`))).toBe(`ip:${canonical}`);
    expect(print(read('ip:10.0.0.0/8,::1,10.1.*'))).toBe('ip:10.0.0.0/8,::1,10.1.0.0/16');
  });
});

describe("Salt's compound matchers", () => {
  it.each([
    ['G@os:SUSE', 'os:SUSE'],
    ['G@os:*', 'os:*'],
    ['G@osrelease:15*', 'grain.osrelease:15*'],
    ['G@fqdn:web*', 'name:web*'],
    ['G@id:web1', 'minion:web1'],
    ['G@a:b:c', 'grain.a:b:c or grain.a.b:c'],
    ['G|@a:b|c', '(G|@a:b|c)'],
    ['G|@a|b', 'grain.a:b'],
    ['P@os:(SUSE|Debian)', 'os:~"^(?:(SUSE|Debian))"'],
    ['P@num:^[0-9]+$', 'grain.num:~"^[0-9]+$"'],
    ['P@num:^a|b', 'grain.num:~"^(?:^a|b)"'],
    ['E@web\\d', 'name:~"^(?:web\\\\d)"'],
    ['E@web{1,3}', 'name:~"^(?:web{1,3})"'],
    ['L@web1,web*', 'name:web1,"web*"'],
    ['S@192.168.1.1', 'ip:192.168.1.1'],
    ['I@role:web', 'meta.pillar.role:web'],
    ['J@role:we.', 'meta.pillar.role:~"^(?:we.)"'],
    ['N@group1', 'group:group1'],
    ['web* and G@os:SUSE or E@db.*', 'name:web* and os:SUSE or name:~"^(?:db.*)"'],
    ['(E@a(b|c) or not L@x)', 'name:~"^(?:a(b|c))" or not name:x'],
    ['a@b', undefined],
  ])('%s is %s', (text, canonical) => {
    if (canonical === undefined || canonical.startsWith('(G')) expect(() => read(text)).toThrow('column');
    else expect(print(read(text))).toBe(canonical);
  });

  it('are one word, whatever they became', () => {
    expect(read('G@a:b:c')).toEqual({
      op: 'or',
      of: [
        { op: 'term', field: 'grain.a', test: glob('b:c'), at: 1, text: 'G@a:b:c' },
        { op: 'term', field: 'grain.a.b', test: glob('c'), at: 1, text: 'G@a:b:c' },
      ],
    });
  });
});

describe('a term in words', () => {
  it.each([
    ['tag:db', 'tag is db'],
    ['tag:db,web*', 'tag is like db or web*'],
    ['web*', 'name is like web*'],
    ['tag:*', 'tag has a value'],
    ['grain.os:SUSE', 'grain os is SUSE'],
    ['custom.rack:a12', 'custom value rack is a12'],
    ['~web\\d', 'name has a match of web\\d'],
    ['ram:>=16GiB', 'memory is at least 16GiB'],
    ['ram:>4GiB..<8GiB', 'memory is more than 4GiB and is less than 8GiB'],
    ['cpu:4', 'number of processors is 4'],
    ['ip:10.0.0.0/8,::1', 'address is in 10.0.0.0/8 or ::1'],
    ['seen:<2026-10-01', 'last seen before 2026-10-01T00:00:00.000Z'],
    ['silent:>7d', 'silent since before 2026-10-01T12:00:00.000Z'],
  ])('%s: %s', (text, words) => {
    const query = read(text);
    expect(query.op === 'term' && describeTerm(query)).toBe(words);
  });
});
