import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complaintOf, excerptOf } from '../../ui/systems/complaint.ts';
import { termOf, termsOf, toggled, withoutTerm, withTerm } from '../../ui/systems/terms.ts';

describe('a term of a query', () => {
  it('is each piece that must hold, by itself or behind not', () => {
    expect(termsOf('tag:db and web* not status:new')).toEqual(['tag:db', 'web*', 'not status:new']);
  });
  it('may hold spaces, in quotes and in parentheses', () => {
    expect(termsOf('os:"SLES 15" (a or b)')).toEqual(['os:"SLES 15"', '(a or b)']);
  });
  it('is not part of a choice', () => {
    expect(termsOf('tag:db or tag:web')).toEqual([]);
    expect(termsOf('tag:db||tag:web')).toEqual([]);
  });
});

describe('a chip', () => {
  it('adds its term, and a choice keeps its meaning', () => {
    expect(withTerm('', 'tag:db')).toBe('tag:db');
    expect(withTerm('web*', 'tag:db')).toBe('web* tag:db');
    expect(withTerm('a or b', 'tag:db')).toBe('(a or b) tag:db');
  });
  it('takes its term away with the operator that joined it', () => {
    expect(withoutTerm('web* and tag:db', 'tag:db')).toBe('web*');
    expect(withoutTerm('tag:db and web*', 'tag:db')).toBe('web*');
    expect(withoutTerm('web* and not tag:db zone:a', 'not tag:db')).toBe('web* zone:a');
    expect(withoutTerm('a b', 'tag:db')).toBe('a b');
  });
  it('leaves a choice as it was before', () => {
    expect(toggled(toggled('a or b', 'tag:db'), 'tag:db')).toBe('a or b');
    expect(toggled(toggled('(a) or (b)', 'tag:db'), 'tag:db')).toBe('(a) or (b)');
  });
  it('taken away after it was added leaves the terms that were there', () => {
    const term = fc.constantFrom('a', 'tag:db', 'not x', 'os:"SLES 15"', 'and c', '&& d');
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        const query = terms.join(' ').replace(/^(and|&&) /, '');
        const before = termsOf(query);
        expect(termsOf(toggled(toggled(query, 'zone:new'), 'zone:new'))).toEqual(before);
      }),
    );
  });
  it('quotes a value that would be read as something else', () => {
    expect(termOf('node', 'n7.acme.org')).toBe('node:n7.acme.org');
    expect(termOf('os', 'SLES 15')).toBe('os:"SLES 15"');
    expect(termOf('tag', 'a*')).toBe('tag:"a*"');
    expect(termOf('tag', '>4')).toBe('tag:">4"');
    expect(termOf('tag', 'say "x"')).toBe('tag:"say \\"x\\""');
  });
});

describe('a query that cannot be read', () => {
  it('is shown by its column, with the query that was perhaps meant', () => {
    expect(complaintOf('column 6: there is no field tga; did you mean web1 tag:db?', 'web1 tag:db')).toEqual({
      column: 6,
      problem: 'there is no field tga',
      meant: { query: 'web1 tag:db', shown: 'web1 tag:db' },
    });
  });
  it('has advice in words where there is no better query', () => {
    expect(complaintOf('column 1: kind is not searched in this version; leave the term out')).toEqual({
      column: 1,
      problem: 'kind is not searched in this version',
      advice: 'leave the term out',
    });
  });
  it('offers the whole of a long query by the piece of it that is shown', () => {
    const query = `tag:db ${'x '.repeat(80)}`;
    expect(complaintOf('column 1: there is no field tga; did you mean tag:db?', query).meant).toEqual({ query, shown: 'tag:db' });
  });
  it('has its suggestion as words where the server names no whole query', () => {
    expect(complaintOf('column 1: there is no field tga; did you mean tag:db?')).toEqual({
      column: 1,
      problem: 'there is no field tga',
      advice: 'did you mean tag:db?',
    });
  });
  it('has its caret under its column, in however long a query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 300 }), fc.nat(), (query, n) => {
        const column = (n % query.length) + 1;
        const { line, indent } = excerptOf(query, column);
        expect(line.charAt(indent)).toBe(query.charAt(column - 1).replace(/\s/, ' '));
      }),
    );
  });
});
