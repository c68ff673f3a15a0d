import { type Field, fieldNamed } from './fields.ts';
import { exactOf } from './glob.ts';
import { numberText, valueText } from './print.ts';
import type { Range, Term } from './query.ts';

/**
 * What a term tests, in a few words: `tag is db`, `memory is at least 16GiB`, `last seen before
 * 2026-10-01T00:00:00.000Z`.
 */
export function describe(term: Term): string {
  const named = fieldNamed(term.field);
  const label = named ? labelOf(named.field, term.field) : term.field;
  const { test } = term;
  const value = valueText(term).replaceAll(',', ' or ');
  switch (test.is) {
    case 'present':
      return `${label} has a value`;
    case 'glob':
      return `${label} ${test.any.every((glob) => exactOf(glob) !== undefined) ? 'is' : 'is like'} ${value}`;
    case 'regex':
      return `${label} has a match of ${test.any.join(' or of ')}`;
    case 'network':
      return `${label} is in ${value}`;
    case 'range':
      return `${label} ${rangeWords(test, named?.field)}`;
  }
}

/** Of a family, the key is the name that people know: `grain os`. */
const labelOf = ({ label, name, key }: Field, field: string): string =>
  key === undefined ? label : `${label} ${field.slice(name.length + 1)}`;

function rangeWords({ from, to, fromOpen, toOpen }: Range, field: Field | undefined): string {
  const text = numberText(field);
  const words = field?.kind === 'moment' ? momentWords : numberWords;
  if (from !== undefined && from === to && !fromOpen && !toOpen) return `${words.equal} ${text(from)}`;
  const ends = [
    ...(from === undefined ? [] : [`${fromOpen ? words.above : words.from} ${text(from)}`]),
    ...(to === undefined ? [] : [`${toOpen ? words.below : words.to} ${text(to)}`]),
  ];
  return ends.join(' and ');
}

type Words = { readonly [word in 'equal' | 'above' | 'from' | 'below' | 'to']: string };
const numberWords: Words = { equal: 'is', above: 'is more than', from: 'is at least', below: 'is less than', to: 'is at most' };
const momentWords: Words = { equal: 'at', above: 'after', from: 'at or after', below: 'before', to: 'at or before' };
