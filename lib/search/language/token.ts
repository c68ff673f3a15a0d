import { BadQuery } from './bad-query.ts';
import { isSpace, readWord, type Word } from './word.ts';

/** A piece of a query as the grammar sees it. `at` and `end` are indexes into the query. */
export type Token =
  | { readonly is: 'and' | 'or' | 'not' | 'open' | 'close' | 'end'; readonly at: number; readonly end: number; readonly text: string }
  | ({ readonly is: 'word' } & Word);

const signs = { '(': 'open', ')': 'close', '!': 'not', '-': 'not' } as const;
const isSign = (char: string): char is keyof typeof signs => Object.hasOwn(signs, char);

/** The token at an index or behind the spaces there. Throws {@link BadQuery} for what begins none. */
export function tokenAt(text: string, from: number): Token {
  let at = from;
  while (at < text.length && isSpace(text.charAt(at))) at++;
  const char = text.charAt(at);
  if (char === '') return { is: 'end', at, end: at, text: '' };
  if (isSign(char)) return { is: signs[char], at, end: at + 1, text: char };
  if (char === '&' || char === '|') return { ...pairAt(text, at, char), at, end: at + 2, text: char + char };
  const word = readWord(text, at);
  const { end } = word;
  const operator = /^(and|or|not)$/i.test(word.text) ? operatorOf(word.text.toLowerCase()) : undefined;
  return operator ? { is: operator, at, end, text: word.text } : { is: 'word', ...word };
}

const operatorOf = (word: string): 'and' | 'or' | 'not' => (word === 'and' || word === 'or' ? word : 'not');

function pairAt(text: string, at: number, char: '&' | '|'): { readonly is: 'and' | 'or' } {
  if (text.charAt(at + 1) === char) return { is: char === '&' ? 'and' : 'or' };
  throw new BadQuery(text, {
    ...{ at, found: char, problem: `there is no operator ${char}`, expected: char === '&' ? 'and, or &&' : 'or, or ||' },
    fix: { from: at, to: at + 1, text: char + char },
  });
}
