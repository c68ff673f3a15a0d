import { globMatcher, readGlob } from '../language/glob.ts';
import type { Range } from '../language/query.ts';
import { automatonOf, begin, run } from './automaton.ts';
import type { Bitmap } from './bitmap.ts';
import { type Keywords, withValues } from './keywords.ts';
import { isBetween } from './numbers.ts';
import { findText, placesOfPrefix, type Texts, textAt, textsIn } from './texts.ts';

/** How the values of a field were searched, from the cheapest to the dearest. */
export type ValuesHow = 'exact' | 'prefix order' | 'dictionary';

/** The documents with a value that passes, and how they were found. */
export type ValuesFound = { readonly hits: Bitmap; readonly how: ValuesHow };

/** The documents with a value that a glob matches. `folds`: upper and lower case are the same. */
export function withValueLike(keywords: Keywords, glob: string, folds: boolean): ValuesFound {
  const { values } = keywords;
  const parts = readGlob(glob);
  const [first, second] = parts;
  const beginning = first?.is === 'text' ? first.text : '';
  if (!folds && !second && (first?.is === 'text' || parts.length === 0)) {
    const place = findText(values, beginning);
    return { hits: withValues(keywords, place === undefined ? [] : [place]), how: 'exact' };
  }
  const [from, to] = folds ? [0, textsIn(values)] : placesOfPrefix(values, beginning);
  const isPrefix = !folds && parts.length === 2 && first?.is === 'text' && second?.is === 'many';
  const test = isPrefix ? () => true : placeTest(values, glob, folds);
  return { hits: withValues(keywords, placesWhere(from, to, test)), how: isPrefix ? 'prefix order' : 'dictionary' };
}

/** The number of documents with exactly this value, before anything is read; undefined for a glob. */
export function countOf({ values, postings }: Keywords, glob: string): number | undefined {
  const [first, ...more] = readGlob(glob);
  if (more.length > 0 || (first && first.is !== 'text')) return undefined;
  const place = findText(values, first ? first.text : '');
  return place === undefined ? 0 : postings.counts[place];
}

/** The documents with a value that passes a test of texts. */
export const withValueWhere = (keywords: Keywords, test: (value: string) => boolean): Bitmap =>
  withValues(
    keywords,
    placesWhere(0, textsIn(keywords.values), (place) => test(textAt(keywords.values, place))),
  );

/** The documents that have any value. */
export const withAnyValue = (keywords: Keywords): Bitmap => withValueWhere(keywords, () => true);

/** Values that are numbers, as queries write them: few enough digits that they are exact. */
const isNumber = (text: string): boolean => /^-?\d{1,15}(\.\d{1,6})?$/.test(text);

/** Whether a value is written as a number between the bounds. */
export const isNumberBetween = (value: string, range: Range): boolean => isNumber(value) && isBetween(Number(value), range);

/** The documents with a value that is written as a number between the bounds. */
export const withValueBetween = (keywords: Keywords, range: Range): Bitmap =>
  withValueWhere(keywords, (value) => isNumberBetween(value, range));

/** A test of values by their places: by an automaton, and by text where a value is not ASCII or the pattern is long. */
function placeTest(values: Texts, glob: string, folds: boolean): (place: number) => boolean {
  const matcher = globMatcher(glob, { folds });
  if (folds) return (place) => matcher(textAt(values, place));
  const automaton = automatonOf(glob);
  const { bytes, offsets } = values;
  return (place) => {
    const states = run(automaton, begin, bytes, offsets[place] ?? 0, offsets[place + 1] ?? 0);
    if (states !== undefined && (states & automaton.accepts) === 0) return false;
    return (states !== undefined && automaton.isExact) || matcher(textAt(values, place));
  };
}

function placesWhere(from: number, to: number, test: (place: number) => boolean): number[] {
  const places: number[] = [];
  for (let place = from; place < to; place++) if (test(place)) places.push(place);
  return places;
}
