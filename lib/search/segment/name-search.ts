import { globMatcher, readGlob } from '../language/glob.ts';
import { allOf, type Bitmap, bitsOf, setBit, unsortedOf, wordsIn } from './bitmap.ts';
import { matchOf } from './name-match.ts';
import { entriesAt, type Places, placesOfBeginning, placesOfName } from './name-places.ts';
import { entriesToRead, literalFor, scanAll, scanDocuments, scanDomains, scanEntries, scanLiteral } from './name-scan.ts';
import { type Names, ownerOf } from './names.ts';
import { globAround } from './pattern-glob.ts';

/** How names were searched, from the cheapest to the dearest. */
export type NamesHow = 'exact' | 'prefix order' | 'domains' | 'candidates' | 'literal scan' | 'name scan';

/** The documents whose names pass, and how they were found. */
export type NamesFound = { readonly hits: Bitmap; readonly how: NamesHow };

/** Looking at one name costs as much as scanning so many: its host is found by a walk. */
const scannedPerLook = 8;

/** The documents with a name that a glob in lower case matches, among candidates at least. */
export function withGlob(names: Names, size: number, glob: string, candidates: Bitmap = allOf(size)): NamesFound {
  const parts = readGlob(glob);
  const [first, second] = parts;
  const beginning = first?.is === 'text' ? first.text : '';
  if (parts.length === 0 || (beginning !== '' && !second))
    return { hits: documentsAt(names, size, placesOfName(names, beginning)), how: 'exact' };
  if (second?.is === 'many' && parts.length === 2 && beginning !== '')
    return { hits: documentsAt(names, size, placesOfBeginning(names, beginning)), how: 'prefix order' };
  return searched(names, size, { glob, verify: globMatcher(glob, { folds: false }), isPart: false, candidates });
}

/** The documents with a name in which a regular expression finds a match by `test`, among candidates at least. */
export const withPattern = (
  names: Names,
  size: number,
  pattern: string,
  test: (name: string) => boolean,
  candidates: Bitmap = allOf(size),
): NamesFound => searched(names, size, { glob: globAround(pattern), verify: test, isPart: true, candidates });

/** A glob that names must match, the whole test of a name, and whether the glob is only a part of that. */
type Search = {
  readonly glob: string;
  readonly verify: (name: string) => boolean;
  readonly isPart: boolean;
  readonly candidates: Bitmap;
};

function searched(names: Names, size: number, { glob, verify, isPart, candidates }: Search): NamesFound {
  const parts = readGlob(glob);
  const [first] = parts;
  const places: Places = first?.is === 'text' ? placesOfBeginning(names, first.text) : [0, names.count];
  const match = matchOf(names, glob, verify, isPart);
  const words = new Uint32Array(wordsIn(size));
  const visit = (entry: number): void => setBit(words, ownerOf(names, entry));
  const found = (how: NamesHow): NamesFound => ({ hits: bitsOf(size, words), how });
  const inOrder = places[1] - places[0];
  if (!match.readsHosts) {
    scanDomains(names, match, visit);
    return found('domains');
  }
  if (Math.min(candidates.count, inOrder) * scannedPerLook < names.count) {
    const isFewer = inOrder <= candidates.count;
    if (isFewer) scanEntries(names, match, entriesAt(names, places), visit);
    else scanDocuments(names, match, candidates, visit);
    return found(isFewer ? 'prefix order' : 'candidates');
  }
  const read = entriesToRead(names, match, Math.floor(names.count / scannedPerLook));
  if (read) {
    scanDomains(names, match, visit);
    scanEntries(names, match, read, visit);
    return found('domains');
  }
  const literal = literalFor(
    names,
    match,
    parts.flatMap((part) => (part.is === 'text' ? [part.text] : [])),
  );
  if (literal === undefined) scanAll(names, match, visit);
  else scanLiteral(names, match, literal, visit);
  return found(literal === undefined ? 'name scan' : 'literal scan');
}

function documentsAt(names: Names, size: number, places: Places): Bitmap {
  const entries = entriesAt(names, places);
  return unsortedOf(size, names.owners ? entries.map((entry) => ownerOf(names, entry)) : entries.slice());
}
