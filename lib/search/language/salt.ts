import { BadQuery, type Fix } from './bad-query.ts';
import { fieldNamed, fieldOfGrain, knownField, type NamedField } from './fields.ts';
import { escapeGlob } from './glob.ts';
import type { Query, Test } from './query.ts';
import { type Asked, anyOf, listOf, regexTest, testsOf } from './value.ts';
import { type Char, isBare, type Piece, plain, type Source, type Word } from './word.ts';

/**
 * A compound matcher of Salt (`G@os:SUSE`) as a query; undefined for a word that is none. Throws {@link BadQuery} for a
 * letter that Salt or Muster does not know.
 */
export function saltQuery(word: Word, source: Source): Query | undefined {
  const matcher = matcherOf(word);
  if (!matcher) return undefined;
  const asked: Matched = { ...matcher, word, source };
  if (matcher.value.chars.length === 0) throw fault(asked, matcher.value, 'nothing follows the @', 'what is matched, such as G@os:SUSE');
  switch (matcher.letter) {
    case 'G':
      return keyed(asked, fieldOfGrain, testsOf);
    case 'P':
      return keyed(asked, fieldOfGrain, patternTest);
    case 'I':
      return keyed(asked, pillar, testsOf);
    case 'J':
      return keyed(asked, pillar, patternTest);
    case 'E':
      return ofField(asked, 'name', patternTest);
    case 'L':
      return ofField(asked, 'name', exactTest);
    case 'N':
      return ofField(asked, 'group', exactTest);
    case 'S':
      return ofField(asked, 'ip', testsOf);
    default:
      throw noMatcher(asked);
  }
}

type Matcher = { readonly letter: string; readonly delimiter: string; readonly value: Piece };
type Matched = Matcher & { readonly word: Word; readonly source: Source };
type Tests = (asked: Asked) => readonly Test[];

/** A letter, a delimiter of keys where one is given, and an `@`: Salt's own rule, lib `salt/utils/minions.py`. */
function matcherOf({ chars, end }: Word): Matcher | undefined {
  const at = isBare(chars[1], '@') ? 1 : isBare(chars[2], '@') && /[^\w\s]/.test(chars[1]?.char ?? '') ? 2 : undefined;
  const [letter] = chars;
  if (at === undefined || letter?.how !== 'bare' || !/[A-Za-z]/.test(letter.char)) return undefined;
  const value = { at: (chars[at]?.at ?? 0) + 1, end, chars: chars.slice(at + 1) };
  return { letter: letter.char, delimiter: at === 2 ? (chars[1]?.char ?? ':') : ':', value };
}

function ofField({ value, word, source }: Matched, name: string, tests: Tests): Query {
  const asked = { named: knownField(name), value, word, source };
  return anyOf(tests(asked), asked);
}

const pillar = (key: string): NamedField | undefined => fieldNamed(`meta.pillar.${key}`);

/** Salt anchors its expressions at the beginning of a value, and not at its end. */
const patternTest: Tests = (asked) => {
  const pattern = plain(asked.value);
  // The pattern is judged as it was written first, so that an error shows that one.
  regexTest(asked, [pattern]);
  return [regexTest(asked, [anchored(pattern)])];
};
const anchored = (pattern: string): string => (pattern.startsWith('^') && !pattern.includes('|') ? pattern : `^(?:${pattern})`);

const exactTest: Tests = (asked) => [{ is: 'glob', any: listOf(asked).map((piece) => escapeGlob(plain(piece))) }];

/** How deep keys nest at most in a matcher of Salt. */
const levelsMax = 8;

/**
 * A key and a value. Where there are more delimiters, any of them may be the one between both, and Salt tries them all:
 * `G@a:b:c` is `grain.a:"b:c" or grain.a.b:c`.
 */
function keyed(asked: Matched, fieldOf: (key: string) => NamedField | undefined, tests: Tests): Query {
  const { value, word, source, delimiter } = asked;
  const places = [...value.chars.entries()].filter(([, one]) => isBare(one, delimiter)).slice(0, levelsMax);
  const of = places.flatMap(([n, { at }]): Query[] => {
    const rest = { at: at + 1, end: value.end, chars: value.chars.slice(n + 1) };
    const named = fieldOf(keyOf(value.chars.slice(0, n), delimiter));
    if (!named || rest.chars.length === 0) return [];
    const each = { named, value: rest, word, source };
    return [anyOf(tests(each), each)];
  });
  const [only] = of;
  if (only) return of.length === 1 ? only : { op: 'or', of: of.flatMap((query) => (query.op === 'or' ? query.of : [query])) };
  const problem =
    places.length === 0 ? `${plain(value)} has no ${delimiter} between a key and a value` : `${plain(value)} has no key, or no value`;
  throw fault(asked, value, problem, `a key and a value, such as ${asked.letter}@os:SUSE`);
}

const keyOf = (chars: readonly Char[], delimiter: string): string => plain({ chars }).replaceAll(delimiter, '.');

function noMatcher(asked: Matched): BadQuery {
  const { letter, word } = asked;
  const expected = 'G@, P@, E@, L@, S@, I@, J@ or N@';
  const begin = { ...word, end: word.at + 1 };
  if (letter === 'R') return fault(asked, begin, 'Muster knows no ranges of a range server', 'a list such as L@web1,web2, or a glob');
  const upper = letter.toUpperCase();
  if (upper !== letter && 'GPELSIJN'.includes(upper))
    return fault(asked, begin, `Salt has capital letters, and ${letter} is none`, expected, {
      from: word.at,
      to: word.at + 1,
      text: upper,
    });
  return fault(asked, begin, `Salt has no matcher ${letter}@`, expected);
}

const fault = ({ source: { text } }: Matched, { at, end }: Piece, problem: string, expected: string, fix?: Fix): BadQuery =>
  new BadQuery(text, { at, found: text.slice(at, end), problem, expected, fix });
