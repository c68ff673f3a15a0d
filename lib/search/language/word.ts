import type { EpochMs } from '../../core/time.ts';
import { BadQuery } from './bad-query.ts';

/** A character of a word, without the backslash or the quotes that made it literal. `at`: its index in the query. */
export type Char = { readonly char: string; readonly how: 'bare' | 'escaped' | 'quoted'; readonly at: number };

/** A piece of a query that is one term, or an operator in letters. `at` and `end` are indexes into the query. */
export type Word = { readonly at: number; readonly end: number; readonly text: string; readonly chars: readonly Char[] };

/** A query's text, and the moment that its ages count back from. */
export type Source = { readonly text: string; readonly now: EpochMs };

/** Whether a character separates words. */
export const isSpace = (char: string): boolean => /\s/.test(char);

/** A piece of a query that is read on its own: where it is, and its characters. */
export type Piece = Pick<Word, 'at' | 'end' | 'chars'>;

/** The text of a piece, whether or not it was quoted. */
export const plain = ({ chars }: Pick<Piece, 'chars'>): string => chars.map(({ char }) => char).join('');

/** A text in quotes, as a word is read that means this text. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Whether a character is there as itself, neither escaped nor quoted. */
export const isBare = (one: Char | undefined, char: string): boolean => one?.how === 'bare' && one.char === char;

/**
 * Reads the word that begins at an index: up to a space, a parenthesis, `&&` or `||`. A regular expression keeps its
 * parentheses and bars, and its backslashes. Throws {@link BadQuery} for a quote that is not closed, and for a
 * backslash at the end.
 */
export function readWord(text: string, at: number): Word {
  const chars: Char[] = [];
  let end = at;
  while (end < text.length && !endsWord(text, end)) {
    end = readChar(text, end, chars);
    if (beginsRegex(chars)) end = readPattern(text, end, chars);
  }
  return { at, end, text: text.slice(at, end), chars };
}

const endsWord = (text: string, at: number): boolean => {
  const char = text.charAt(at);
  return char === '(' || char === ')' || isSpace(char) || text.startsWith('&&', at) || text.startsWith('||', at);
};

/**
 * `E@`, `P@` and `J@`, with or without a delimiter of Salt's; `~` at the beginning of a word, or of a field's value.
 */
function beginsRegex(chars: readonly Char[]): boolean {
  const last = chars.at(-1);
  if (isBare(last, '@')) return chars.length <= 3 && chars[0]?.how === 'bare' && /^[EPJ]/.test(chars[0].char);
  if (!isBare(last, '~')) return false;
  return chars.length === 1 || (isBare(chars.at(-2), ':') && colonOf(chars) === chars.length - 2);
}

/** The index of the colon between a field and its value; -1 for none. */
export const colonOf = (chars: readonly Char[]): number => chars.findIndex((one) => isBare(one, ':'));

/** Reads one character, or all that is in quotes. */
function readChar(text: string, at: number, chars: Char[]): number {
  const char = text.charAt(at);
  if (char === '"' || char === "'") return readQuoted(text, at, chars);
  if (char !== '\\') {
    chars.push({ char, how: 'bare', at });
    return at + 1;
  }
  if (at + 1 === text.length)
    throw new BadQuery(text, {
      ...{ at, found: char, problem: 'the query ends with a backslash', expected: 'the character that is meant behind it' },
      fix: { from: at, to: at + 1, text: '' },
    });
  chars.push({ char: text.charAt(at + 1), how: 'escaped', at });
  return at + 2;
}

/** In quotes, a backslash stands for itself unless it is before the quote or before another backslash. */
function readQuoted(text: string, from: number, chars: Char[]): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at++) {
    if (text.charAt(at) === quote) return at + 1;
    if (text.charAt(at) === '\\' && (text.charAt(at + 1) === quote || text.charAt(at + 1) === '\\')) at += 1;
    chars.push({ char: text.charAt(at), how: 'quoted', at });
  }
  throw new BadQuery(text, {
    ...{ at: from, found: text.slice(from), problem: `the quote ${quote} is not closed`, expected: `another ${quote} behind the text` },
    fix: { from: text.length, to: text.length, text: quote },
  });
}

/** Reads a pattern up to a space, or to a parenthesis that it did not open. In quotes it may contain anything. */
function readPattern(text: string, from: number, chars: Char[]): number {
  let nesting: Nesting = { depth: 0, inClass: false };
  for (let at = from; at < text.length; ) {
    const char = text.charAt(at);
    if (isSpace(char)) return at;
    if (isQuoteOfPattern(text, at, from)) {
      at = readQuoted(text, at, chars);
      continue;
    }
    nesting = nested(nesting, char);
    if (nesting.depth < 0) return at;
    const length = char === '\\' ? 2 : 1;
    for (const [n, one] of [...text.slice(at, at + length)].entries()) chars.push({ char: one, how: 'bare', at: at + n });
    at += length;
  }
  return text.length;
}

/**
 * How many groups of a pattern are open, and whether its next character is in a class, where parentheses are literal.
 */
type Nesting = { readonly depth: number; readonly inClass: boolean };

function nested({ depth, inClass }: Nesting, char: string): Nesting {
  if (char === '[' || char === ']') return { depth, inClass: char === '[' };
  const step = char === '(' ? 1 : char === ')' ? -1 : 0;
  return { depth: inClass ? depth : depth + step, inClass };
}

/** A quote at the beginning of a pattern encloses it. One in the middle is a character of the pattern. */
const isQuoteOfPattern = (text: string, at: number, from: number): boolean =>
  /["']/.test(text.charAt(at)) && (at === from || /[:~]/.test(text.charAt(at - 1)));
