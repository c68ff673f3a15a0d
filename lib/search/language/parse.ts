import type { EpochMs } from '../../core/time.ts';
import { BadQuery } from './bad-query.ts';
import { readGlob } from './glob.ts';
import { depthMax, type Query, queryMax, regexesMax, type Test, termsMax } from './query.ts';
import { groupedValues } from './slips.ts';
import { termOf } from './term.ts';
import { type Token, tokenAt } from './token.ts';

/**
 * Reads a query. `now` is the moment that ages such as `>7d` count back from. Throws {@link BadQuery}, and nothing
 * else, with the column of what is wrong.
 */
export function parse(text: string, now: EpochMs): Query {
  if (text.length > queryMax)
    throw new BadQuery(text, {
      ...{ at: queryMax, found: '', problem: `the query has ${text.length} characters, more than ${queryMax}` },
      expected: 'a shorter query',
    });
  const token = tokenAt(text, 0);
  if (token.is === 'end') return { op: 'all' };
  const reader: Reader = { text, now, token, terms: 0, regexes: 0 };
  const query = readOr(reader, 0);
  if (reader.token.is === 'end') return query;
  const { at } = reader.token;
  throw new BadQuery(text, {
    ...{ at, found: ')', problem: 'this ) closes nothing', expected: 'a ( before it' },
    fix: { from: 0, to: 0, text: '(' },
  });
}

/** Where the parser is in a text, and what it has counted. */
type Reader = { readonly text: string; readonly now: EpochMs; token: Token; terms: number; regexes: number };

const next = (reader: Reader): void => {
  reader.token = tokenAt(reader.text, reader.token.end);
};

function readOr(reader: Reader, depth: number): Query {
  const of = [readAnd(reader, depth)];
  while (reader.token.is === 'or') {
    next(reader);
    of.push(readAnd(reader, depth));
  }
  return joined('or', of);
}

function readAnd(reader: Reader, depth: number): Query {
  const of = [readNot(reader, depth)];
  while (/^(and|not|open|word)$/.test(reader.token.is)) {
    if (reader.token.is === 'and') next(reader);
    of.push(readNot(reader, depth));
  }
  return joined('and', of);
}

const joined = (op: 'and' | 'or', of: readonly Query[]): Query => {
  const [only, ...more] = of;
  return only && more.length === 0 ? only : { op, of };
};

function readNot(reader: Reader, depth: number): Query {
  if (reader.token.is !== 'not') return readOne(reader, depth);
  const inside = deeper(reader, depth);
  next(reader);
  return { op: 'not', of: readNot(reader, inside) };
}

function readOne(reader: Reader, depth: number): Query {
  const { text, token } = reader;
  if (token.is === 'word') return readTerm(reader, token, depth);
  if (token.is !== 'open') throw noTerm(text, token);
  const inside = deeper(reader, depth);
  next(reader);
  const query = readOr(reader, inside);
  if (reader.token.is === 'end') {
    const end = text.length;
    throw new BadQuery(text, {
      ...{ at: end, found: '', problem: `the ( of column ${token.at + 1} is not closed`, expected: 'a ) behind what it groups' },
      fix: { from: end, to: end, text: ')' },
    });
  }
  next(reader);
  return query;
}

function noTerm(text: string, { at, text: found, is }: Token): BadQuery {
  const problem = is === 'end' ? 'the query ends where a term belongs' : `${found} is where a term belongs`;
  const isSpare = is === 'and' || is === 'or';
  const fix = isSpare ? { from: at, to: tokenAt(text, at + found.length).at, text: '' } : undefined;
  return new BadQuery(text, { at, found, problem, expected: 'a term there, such as web* or tag:db', fix });
}

function deeper({ text, token: { at, text: found } }: Reader, depth: number): number {
  if (depth < depthMax) return depth + 1;
  const problem = `parentheses and negations nest deeper than ${depthMax}`;
  throw new BadQuery(text, { at, found, problem, expected: 'a flatter query' });
}

function readTerm(reader: Reader, word: Extract<Token, { is: 'word' }>, depth: number): Query {
  const { text, now } = reader;
  if (text.charAt(word.end) === '(') throw openedInWord(text, word);
  const query = termOf(word, { text, now });
  // Several terms for one are a group, as if they were in parentheses.
  if (query.op === 'or') deeper(reader, depth);
  const { terms, regexes } = costOf(query);
  reader.terms += terms;
  reader.regexes += regexes;
  const { at, text: found } = word;
  if (reader.terms > termsMax) {
    const problem = `the query has more than ${termsMax} terms, where each value with a wildcard counts`;
    throw new BadQuery(text, { at, found, problem, expected: 'a shorter query, or a list of exact values' });
  }
  if (reader.regexes > regexesMax) {
    const problem = `the query has more than ${regexesMax} regular expressions`;
    throw new BadQuery(text, { at, found, problem, expected: 'globs, or one expression with | in it' });
  }
  next(reader);
  return query;
}

/** Without a space before it, a parenthesis may be meant as part of the word: it is never taken apart unasked. */
function openedInWord(text: string, word: Extract<Token, { is: 'word' }>): BadQuery {
  const { end } = word;
  return new BadQuery(text, {
    ...{ at: end, found: '(', problem: `( follows ${word.text} without a space` },
    expected: 'a space before it, or quotes around the word',
    fix: groupedValues(text, word) ?? { from: end, to: end, text: ' ' },
  });
}

type Cost = { readonly terms: number; readonly regexes: number };

function costOf(query: Query): Cost {
  if (query.op === 'term') return costOfTest(query.test);
  if (query.op !== 'or') return { terms: 0, regexes: 0 };
  return query.of.map(costOf).reduce((a, b) => ({ terms: a.terms + b.terms, regexes: a.regexes + b.regexes }));
}

/** Exact values are looked up in a dictionary: a list of them is one term, however long it is. */
function costOfTest(test: Test): Cost {
  if (test.is === 'regex') return { terms: test.any.length, regexes: test.any.length };
  const wild = test.is === 'glob' ? test.any.filter((glob) => readGlob(glob).some(({ is }) => is !== 'text')).length : 0;
  return { terms: Math.max(1, wild), regexes: 0 };
}
