import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { statusBytes } from '../../../../lib/clients/rows/status.ts';
import { EpochMs } from '../../../../lib/core/time.ts';
import { fieldNamed, fieldOfGrain, fields, fieldWords, knownField, writtenAs } from '../../../../lib/search/language/fields.ts';
import { parse } from '../../../../lib/search/language/parse.ts';

const now = EpochMs.parse(Date.parse('2026-10-08T12:00:00Z'));

describe('a field', () => {
  it('has a name of its own, and its example is a query about it', () => {
    expect(new Set(fieldWords).size).toBe(fields.flatMap(({ name, aliases }) => [name, ...aliases]).length);
    for (const { name, example, key } of fields) {
      const query = parse(example, now);
      if (query.op !== 'term') throw new Error(`${example} is no single term`);
      expect(key === undefined ? query.field : query.field.split('.')[0], example).toBe(name);
    }
  });

  it('is found by its name or an alias in any case, and a family with its key alone', () => {
    const named = ['TAG', 'tags', 'id', 'cidr', 'Memory', 'grain.OS.x', 'META.pillar.A', 'meta.channels'].map(
      (name) => fieldNamed(name)?.name,
    );
    expect(named).toEqual(['tag', 'tag', 'fp', 'ip', 'ram', 'grain.OS.x', 'meta.pillar.A', 'meta.channels']);
    const none = ['tga', '', 'grain', 'grain.', 'tag.x', 'meta.Pillar', 'meta.a..', 'custom.a b', `custom.${'x'.repeat(129)}`, 'toString'];
    expect(none.map((name) => fieldNamed(name)?.name)).toEqual(none.map(() => undefined));
  });

  it('of a grain is the one that holds the same', () => {
    expect(['os', 'kernelrelease', 'kernel', 'saltversion'].map((grain) => fieldOfGrain(grain)?.name)).toEqual([
      'os',
      'kernel',
      'grain.kernel',
      'grain.saltversion',
    ]);
    expect(() => knownField('tga')).toThrow('there is no field tga');
  });

  it('is written with its colon, a family with its key', () => {
    expect(fields.map(writtenAs).filter((text) => /^(tag|grain|meta)/.test(text))).toEqual(['tag:', 'grain.<key>:', 'meta.<kind>.<path>:']);
  });

  it('of the status has the names and the digits of the protocol', () => {
    const words = knownField('status').field.values.map(({ value, also }) => [value, ...also]);
    expect(words).toEqual(Object.entries(statusBytes));
  });
});

describe('the page on searching', () => {
  const page = readFileSync(new URL('../../../../docs/search.md', import.meta.url), 'utf8');

  it('begins with queries that can be read, and then has errors as they are', () => {
    const [, queries = '', , errors = ''] = page.split(/^```\n/m);
    const lines = queries.trim().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) parse(line, now);
    expect(() => parse('web1 tga:db', now)).toThrow(errors.split('\n')[0]!);
    expect(() => parse('ram:16gib', now)).toThrow(errors.split('\n')[1]!);
  });

  it("writes each of Salt's matchers as it is", () => {
    const rows = page.slice(page.indexOf("## Salt's"), page.indexOf('## Limits')).match(/^\| `.*$/gm) ?? [];
    expect(rows).toHaveLength(7);
    for (const matcher of rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)))
      parse(matcher, now);
  });
});
