import { type Field, fieldNamed } from './fields.ts';
import { globOf, type Part, readGlob } from './glob.ts';
import { momentText } from './moment.ts';
import { addressesText } from './network.ts';
import { sizeText } from './number.ts';
import type { Query, Term } from './query.ts';
import { rangeText } from './range.ts';
import { quoted } from './word.ts';

/**
 * The canonical text of a query: operators in words, a field before each value, moments as dates in UTC. It is read as
 * the same tree again, but for the columns and texts of its terms, as far as it is within the limits of a query.
 */
export function print(query: Query): string {
  switch (query.op) {
    case 'all':
      return '';
    case 'term':
      return printTerm(query);
    case 'not':
      return `not ${inside(query.of)}`;
    case 'and':
    case 'or':
      return query.of.map((one) => (query.op === 'or' && one.op === 'and' ? print(one) : inside(one))).join(` ${query.op} `);
  }
}

const inside = (query: Query): string => (query.op === 'and' || query.op === 'or' ? `(${print(query)})` : print(query));

const printTerm = (term: Term): string => `${term.field}:${valueText(term)}`;

/** The value of a term as it is written. */
export function valueText({ field, test }: Pick<Term, 'field' | 'test'>): string {
  switch (test.is) {
    case 'present':
      return '*';
    case 'glob':
      return test.any.map(globText).join(',');
    case 'regex':
      return test.any.map((pattern) => `~${quoted(pattern)}`).join(',');
    case 'network':
      return test.any.map(addressesText).join(',');
    case 'range':
      return rangeText(test, numberText(fieldNamed(field)?.field));
  }
}

/** How the numbers of a field are written. */
export const numberText = (field: Field | undefined): ((value: number) => string) =>
  field?.kind === 'moment' ? momentText : field?.kind === 'bytes' ? sizeText : String;

/** Text that means itself in a value: no space or sign, and no `..`, which would make it a range of numbers. */
const means = /^[\p{L}\p{N}_.:/@+-]+$/u;
const isPlain = (text: string): boolean => means.test(text) && !text.includes('..');

function globText(glob: string): string {
  const parts = readGlob(glob);
  return parts.length === 0 ? '""' : parts.map(partText).join('');
}

const partText = (part: Part): string => (part.is === 'text' ? (isPlain(part.text) ? part.text : quoted(part.text)) : globOf([part]));
