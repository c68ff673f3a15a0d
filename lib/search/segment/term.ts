import { MusterError } from '../../core/errors.ts';
import { globMatcher, readGlob } from '../language/glob.ts';
import type { Term, Test } from '../language/query.ts';
import { type Regex, readRegex } from '../language/regex.ts';
import { placesWithin } from './addresses.ts';
import { or } from './algebra.ts';
import { type Bitmap, noneOf, unsortedOf } from './bitmap.ts';
import { idAt, placesOfDigits } from './ids.ts';
import { type Keywords, withValues } from './keywords.ts';
import { withGlob, withPattern } from './name-search.ts';
import { between, type Numbers, withNumber, withNumberWhere } from './numbers.ts';
import { dearest, type Way } from './plan.ts';
import type { Segment } from './segment.ts';
import { withAnyValue, withValueBetween, withValueLike, withValueWhere } from './value-search.ts';

/** The field that is every name of a document, each as a whole and by its first label. Names are lower case. */
export const nameField = 'name';
/** The field that is the id of a document. */
export const idField = 'fp';

/** The documents of a term, and how they were found. */
export type Found = { readonly hits: Bitmap; readonly way: Way };

/**
 * The documents that a term finds in a segment, among candidates at least; others may be among them or not. `folds`:
 * upper and lower case are the same in this field. Throws a MusterError `search.bad-regex` for a pattern that RE2
 * refuses, which no query has that was read from text.
 */
export function findTerm(segment: Segment, { field, test }: Term, folds: boolean, candidates: Bitmap): Found {
  if (field === nameField) return findName(segment, test, candidates);
  if (field === idField) return findById(segment, test, candidates);
  const [keywords, numbers] = [segment.keywords.get(field), segment.numbers.get(field)];
  const found = [
    ...(keywords ? [findValue(keywords, test, folds)] : []),
    ...(numbers ? [findNumber(numbers, test, folds, candidates)] : []),
  ];
  return joined(segment.size, found, 'no such field');
}

function findName({ names, size }: Segment, test: Test, candidates: Bitmap): Found {
  const of = ({ hits, how }: { readonly hits: Bitmap; readonly how: Way }): Found => ({ hits, way: how });
  switch (test.is) {
    case 'present':
      return of(withGlob(names, size, '*', candidates));
    case 'glob':
      return joined(
        size,
        test.any.map((glob) => of(withGlob(names, size, glob.toLowerCase(), candidates))),
      );
    case 'regex':
      return joined(
        size,
        test.any.map((pattern) => {
          const regex = regexOf(pattern, true);
          return of(withPattern(names, size, pattern, (name) => regex.test(name), candidates));
        }),
      );
    default:
      return { hits: noneOf(size), way: 'no such field' };
  }
}

function findById({ ids, size }: Segment, test: Test, candidates: Bitmap): Found {
  if (test.is === 'present') return { hits: candidates, way: 'ids' };
  if (test.is !== 'glob') return { hits: noneOf(size), way: 'no such field' };
  return joined(
    size,
    test.any.map((written): Found => {
      const glob = written.toLowerCase();
      const [first, second, ...more] = readGlob(glob);
      const digits = first?.is === 'text' ? first.text : '';
      const [from, to] = placesOfDigits(ids, digits);
      const range: Bitmap = { is: 'range', size, count: to - from, from, to };
      if (!second) return { hits: first?.is === 'many' || digits.length === 64 ? range : noneOf(size), way: 'ids' };
      if (more.length === 0 && second.is === 'many') return { hits: range, way: 'ids' };
      const matcher = globMatcher(glob, { folds: false });
      const places = Uint32Array.from({ length: to - from }, (_, n) => from + n).filter((place) => matcher(idAt(ids, place)));
      return { hits: unsortedOf(size, places), way: 'id scan' };
    }),
  );
}

function findValue(keywords: Keywords, test: Test, folds: boolean): Found {
  const scanned = (hits: Bitmap): Found => ({ hits, way: 'dictionary' });
  switch (test.is) {
    case 'present':
      return scanned(withAnyValue(keywords));
    case 'glob':
      return joined(
        keywords.postings.size,
        test.any.map((glob): Found => {
          const { hits, how } = withValueLike(keywords, glob, folds);
          return { hits, way: how };
        }),
      );
    case 'regex': {
      const regexes = test.any.map((pattern) => regexOf(pattern, folds));
      return scanned(withValueWhere(keywords, (value) => regexes.some((regex) => regex.test(value))));
    }
    case 'network':
      return scanned(withValues(keywords, placesWithin(keywords.values, test.any)));
    case 'range':
      return scanned(withValueBetween(keywords, test));
  }
}

/** A number is compared; as a glob or a pattern has it, it is the text of its digits. */
function findNumber(numbers: Numbers, test: Test, folds: boolean, candidates: Bitmap): Found {
  const where = (passes: (text: string) => boolean): Bitmap => withNumberWhere(numbers, (value) => passes(String(value)), candidates);
  switch (test.is) {
    case 'present':
      return { hits: withNumber(numbers), way: 'numbers' };
    case 'range':
      return { hits: between(numbers, test, candidates), way: 'numbers' };
    case 'glob': {
      const matchers = test.any.map((glob) => globMatcher(glob, { folds }));
      return { hits: where((text) => matchers.some((matcher) => matcher(text))), way: 'numbers' };
    }
    case 'regex': {
      const regexes = test.any.map((pattern) => regexOf(pattern, folds));
      return { hits: where((text) => regexes.some((regex) => regex.test(text))), way: 'numbers' };
    }
    case 'network':
      return { hits: noneOf(numbers.offsets.length), way: 'numbers' };
  }
}

function joined(size: number, found: readonly Found[], without: Way = 'exact'): Found {
  const [only, ...more] = found;
  if (!only) return { hits: noneOf(size), way: without };
  if (more.length === 0) return only;
  return {
    hits: or(
      size,
      found.map(({ hits }) => hits),
    ),
    way: dearest(found.map(({ way }) => way)),
  };
}

function regexOf(pattern: string, folds: boolean): Regex {
  const read = readRegex(pattern, { folds });
  if ('fault' in read) throw new MusterError('search.bad-regex', `${pattern} cannot be matched: ${read.fault}`, 'never');
  return read;
}
