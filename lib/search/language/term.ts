import { fieldNamed, knownField } from './fields.ts';
import type { Query } from './query.ts';
import { saltQuery } from './salt.ts';
import { noField, slipOfName } from './slips.ts';
import { anyOf, testsOf } from './value.ts';
import { colonOf, isBare, plain, type Source, type Word } from './word.ts';

/**
 * The query that a word stands for: a term, or several joined by `or` where one term cannot say it. Throws
 * {@link BadQuery} for a word that makes no sense.
 */
export function termOf(word: Word, source: Source): Query {
  const salt = saltQuery(word, source);
  if (salt) return salt;
  const colon = isBare(word.chars[0], '~') ? undefined : word.chars[colonOf(word.chars)];
  return colon ? withField(word, colon.at, source) : withoutField(word, source);
}

function withField(word: Word, colonAt: number, source: Source): Query {
  const head = word.chars.filter(({ at }) => at < colonAt);
  const named = head.every(({ how }) => how === 'bare') ? fieldNamed(plain({ chars: head })) : undefined;
  if (!named) throw noField(word, source);
  const value = { at: colonAt + 1, end: word.end, chars: word.chars.slice(head.length + 1) };
  const asked = { named, word, value, source };
  return anyOf(testsOf(asked), asked);
}

function withoutField(word: Word, source: Source): Query {
  const slip = slipOfName(word, source);
  if (slip) throw slip;
  const asked = { named: knownField('name'), word, value: word, source };
  return anyOf(testsOf(asked), asked);
}
