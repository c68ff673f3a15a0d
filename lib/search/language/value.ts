import { nearest } from '../../core/nearest.ts';
import { BadQuery } from './bad-query.ts';
import type { Field, NamedField } from './fields.ts';
import { type CharRange, escapeGlob, globOf, readGlob } from './glob.ts';
import { readFingerprint, readMac } from './hex.ts';
import { moments } from './moment.ts';
import { readAddresses } from './network.ts';
import { isNumber, numbers, sizes } from './number.ts';
import type { Query, Test } from './query.ts';
import { isSlip, readRange, type Scale, type Slip } from './range.ts';
import { readRegex } from './regex.ts';
import { nextWord } from './slips.ts';
import { isBare, type Piece, plain, quoted, type Source, type Word } from './word.ts';

/** A value of a field within a word. */
export type Asked = { readonly named: NamedField; readonly word: Word; readonly value: Piece; readonly source: Source };

/**
 * The tests that a value stands for: one, or several of which any may pass where a list mixes kinds (`cpu:2,>8`).
 * Throws {@link BadQuery} for a value that the field cannot have.
 */
export function testsOf(asked: Asked): readonly Test[] {
  if (isBare(asked.value.chars[0], '~')) return [patternsTest(asked)];
  const pieces = listOf(asked);
  const tests = pieces.map((value) => testOf({ ...asked, value }));
  const [only] = tests;
  if (tests.length === 1 && only?.is === 'glob' && only.any[0] === '*') return [{ is: 'present' }];
  return merged(tests);
}

/** What a word says of a field: a term for each of the tests, of which any may pass. */
export function anyOf(tests: readonly Test[], { named: { name }, word: { at, text } }: Pick<Asked, 'named' | 'word'>): Query {
  const of = tests.map((test): Query => ({ op: 'term', field: name, test, at: at + 1, text }));
  const [only] = of;
  return only && of.length === 1 ? only : { op: 'or', of };
}

/**
 * One test by regular expressions, as they are in the field's text. Throws {@link BadQuery} for one that RE2 refuses.
 */
export function regexTest({ named: { field }, source, value }: Omit<Asked, 'word'>, patterns: readonly string[]): Test {
  const refused = (problem: string, expected: string): BadQuery =>
    new BadQuery(source.text, { at: value.at, found: source.text.slice(value.at, value.end), problem, expected });
  if (!['name', 'keyword', 'open'].includes(field.kind))
    throw refused(`${field.name} takes no regular expression`, `a value such as ${field.example}`);
  for (const pattern of patterns) {
    if (pattern === '') throw refused('a regular expression is missing', `one behind the sign, or ${field.name}:*`);
    const read = readRegex(pattern, field);
    if ('fault' in read) throw refused(`${pattern} is no regular expression here: ${read.fault}`, 'one that RE2 takes');
  }
  return { is: 'regex', any: patterns };
}

/** A pattern without quotes goes to the end of its word; quoted ones can make a list. */
function patternsTest(asked: Asked): Test {
  const { value } = asked;
  const isQuoted = /["']/.test(asked.source.text.charAt(value.at + 1));
  if (!isQuoted) return regexTest(asked, [plain(value).slice(1)]);
  return regexTest(
    asked,
    listOf(asked).map((piece) => {
      if (isBare(piece.chars[0], '~')) return plain(piece).slice(1);
      throw refused(asked, piece, { problem: 'a list of regular expressions has something else in it', expected: '~ before each of them' });
    }),
  );
}

/** The values of a list, which commas separate. Throws {@link BadQuery} where one is missing. */
export function listOf({ value, word, source, named }: Asked): readonly Piece[] {
  const commas = [...value.chars.entries()].filter(([, one]) => isBare(one, ','));
  const bounds = [-1, ...commas.map(([n]) => n), value.chars.length];
  return bounds.slice(1).map((to, n) => {
    const from = (bounds[n] ?? 0) + 1;
    const at = n === 0 ? value.at : (value.chars[from - 1]?.at ?? 0) + 1;
    const end = value.chars[to]?.at ?? value.end;
    if (at < end) return { at, end, chars: value.chars.slice(from, to) };
    const next = end === word.end ? nextWord(source.text, end) : undefined;
    const isAlone = value.at === value.end;
    throw new BadQuery(source.text, {
      ...{ at, found: source.text.slice(at, at + 1), problem: `a value is missing ${isAlone ? `after ${word.text}` : 'in the list'}` },
      expected: `a value without a space before it, such as ${named.field.example}`,
      fix: next ?? (isAlone ? { from: at, to: at, text: '*' } : { from: n === 0 ? at : at - 1, to: n === 0 ? at + 1 : at, text: '' }),
    });
  });
}

/** Tests of one kind that only list values become one. */
function merged(tests: readonly Test[]): readonly Test[] {
  const globs = tests.flatMap((test) => (test.is === 'glob' ? test.any : []));
  const networks = tests.flatMap((test) => (test.is === 'network' ? test.any : []));
  return [
    ...(globs.length > 0 ? [{ is: 'glob', any: globs } as const] : []),
    ...(networks.length > 0 ? [{ is: 'network', any: networks } as const] : []),
    ...tests.filter((test) => test.is === 'range'),
  ];
}

function testOf(asked: Asked): Test {
  const { field } = asked.named;
  const { value, source } = asked;
  const text = plain(value);
  const isStar = value.chars.length === 1 && isBare(value.chars[0], '*');
  const choice = [...field.values, ...field.others].find((one) => [one.value, ...one.also].includes(text.toLowerCase()));
  if (choice || isStar) return { is: 'glob', any: [choice?.value ?? '*'] };
  switch (field.kind) {
    case 'name':
    case 'keyword':
      return globTest(asked);
    case 'open':
      return value.chars.every(({ how }) => how === 'bare') && isRange(text) ? rangeTest(asked, numbers) : globTest(asked);
    case 'choice':
      throw refused(asked, value, noChoice(field, text));
    case 'hex':
      return hexTest(asked, readFingerprint(text));
    case 'mac':
      return hexTest(asked, readMac(text));
    case 'number':
      return rangeTest(asked, numbers);
    case 'bytes':
      return rangeTest(asked, sizes);
    case 'moment':
      return rangeTest(asked, moments(source.now));
    case 'network': {
      const read = readAddresses(text);
      if (isSlip(read)) throw refused(asked, value, read);
      return { is: 'network', any: [read] };
    }
  }
}

/** An error about a piece of a value, which was perhaps meant otherwise. */
export const refused = ({ source: { text } }: Pick<Asked, 'source'>, { at, end }: Piece, { meant, ...slip }: Slip): BadQuery =>
  new BadQuery(text, {
    ...slip,
    at,
    found: text.slice(at, end),
    fix: meant === undefined ? undefined : { from: at, to: end, text: meant },
  });

function noChoice(field: Field, text: string): Slip {
  const words = field.values.map(({ value }) => value);
  const expected = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return { problem: `${field.name} is never ${text}`, expected, meant: nearest(text.toLowerCase(), words) };
}

/** Whether a value of a field that holds text is compared as a number. */
const isRange = (text: string): boolean =>
  /^[<>]/.test(text) || (text.includes('..') && text.split('..').every((end) => end === '' || isNumber(end.replace(/^[<>]=?/, ''))));

function rangeTest(asked: Asked, scale: Scale): Test {
  const { value, source, word, named } = asked;
  const text = plain(value);
  const read = readRange(text, scale);
  if (!isSlip(read)) return read;
  const { values } = named.field;
  const slip = { ...read, expected: [...values.map((one) => one.value), read.expected].join(', ') };
  const next = value.end === word.end ? nextWord(source.text, value.end) : undefined;
  const whole = next && readRange(text + next.text, scale);
  const joined = next && whole && (isSlip(whole) ? whole.meant : text + next.text);
  if (next && joined !== undefined) throw refused(asked, { ...value, end: next.to }, { ...slip, meant: joined });
  throw refused(asked, value, { ...slip, meant: read.meant ?? (values.length > 0 ? choiceMeant(named.field, text) : undefined) });
}

function choiceMeant({ values }: Field, text: string): string | undefined {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true' ? 'yes' : 'no';
  return nearest(
    word,
    values.map(({ value }) => value),
  );
}

/** A glob as the tree has it: what was quoted is escaped. */
function globText({ chars }: Pick<Piece, 'chars'>): string {
  const text = chars.map(({ char, how }) => (how === 'bare' ? char : how === 'escaped' ? `\\${char}` : escapeGlob(char))).join('');
  return globOf(readGlob(text));
}

function globTest(asked: Asked): Test {
  const { value, word, source, named } = asked;
  const [first] = value.chars;
  const text = plain(value);
  const expected = `a value such as ${named.field.example}, in quotes if it begins with a sign`;
  if (isBare(first, '='))
    throw refused(asked, value, { problem: '= follows a colon', expected, meant: text.replace(/^=+/, '') || undefined });
  if (isBare(first, '<') || isBare(first, '>'))
    throw refused(asked, value, { problem: `${named.name} holds text, which is not compared`, expected, meant: quoted(text) });
  if (isBare(first, '!')) {
    const fix = { from: word.at, to: value.at + 1, text: `not ${source.text.slice(word.at, value.at)}` };
    throw new BadQuery(source.text, { at: value.at, found: '!', problem: '! follows a colon', expected: '! before the field', fix });
  }
  const glob = globText(value);
  for (const part of readGlob(glob)) {
    const turned = part.is === 'class' ? part.ranges.find(({ from, to }) => from > to) : undefined;
    if (turned) throw refused(asked, value, turnedRange(turned, source.text.slice(value.at, value.end)));
  }
  return { is: 'glob', any: [glob] };
}

function turnedRange({ from, to }: CharRange, text: string): Slip {
  const meant = text.replace(`${from}-${to}`, () => `${to}-${from}`);
  return { problem: `${from}-${to} ends before it begins`, expected: `${to}-${from}`, meant: meant === text ? undefined : meant };
}

function hexTest(asked: Asked, read: string | Slip): Test {
  if (typeof read !== 'string') throw refused(asked, asked.value, read);
  return { is: 'glob', any: [globOf(readGlob(read))] };
}
