import * as z from 'zod';

/** The longest text of a pattern; the cost of matching a name grows with it. */
export const patternMax = 500;

/**
 * One piece of a label: a single letter, any letters, or a number between two others; `width` if leading zeros are
 * written.
 */
type Piece =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'star' }
  | { readonly is: 'number'; readonly ranges: readonly Range[] };
type Range = { readonly from: number; readonly to: number; readonly width?: number };
/** The labels of one alternative; 'every' is the pattern `*` alone. */
type Alternative = readonly (readonly Piece[])[] | 'every';

/** A pattern that was read: a name matches when one of its alternatives does. */
export type Pattern = readonly Alternative[];

/** The most digits of a number in a host name. */
const digitsMax = 9;

/**
 * Reads a pattern of node names: `ssu[1-40].acme.org`, `[001-040]` with leading zeros, `[1-3,7]`, alternatives after
 * commas, `*` for any letters within one label; `*` alone is every name. Undefined for a text that is not a pattern.
 */
export function readPattern(text: string): Pattern | undefined {
  if (text.length > patternMax) return undefined;
  const alternatives = split(text.toLowerCase(), ',').map(alternativeOf);
  return alternatives.every((one) => one !== undefined) ? alternatives : undefined;
}

/** A pattern of node names as text, checked. */
export const NamePattern = z
  .string()
  .max(patternMax)
  .transform((text) => text.toLowerCase())
  .pipe(
    z
      .string()
      .refine(
        (text) => readPattern(text) !== undefined,
        'names such as ssu[1-40].acme.org; * stands for letters of one label, or for every name',
      ),
  );

/**
 * Whether a pattern matches a name in lower case. It walks the name once for each piece of the pattern and never goes
 * back, so that no pattern is slow.
 */
export const isMeant = (pattern: Pattern, name: string): boolean => {
  const labels = name.split('.');
  return pattern.some(
    (one) => one === 'every' || (one.length === labels.length && one.every((pieces, at) => isLabelMeant(pieces, labels[at]!))),
  );
};

/** Whether a pattern is one name and nothing else. */
export const isOneName = (pattern: Pattern): boolean =>
  pattern.length === 1 && pattern[0] !== 'every' && pattern[0]!.every((pieces) => pieces.every(({ is }) => is === 'text'));

/**
 * Whether the pieces match a label. It tracks all places where the pieces so far may end, at once: none is tried twice.
 */
function isLabelMeant(pieces: readonly Piece[], label: string): boolean {
  let ends: ReadonlySet<number> = new Set([0]);
  for (const piece of pieces) ends = endsAfter(piece, label, ends);
  return ends.has(label.length);
}

function endsAfter(piece: Piece, label: string, from: ReadonlySet<number>): ReadonlySet<number> {
  if (from.size === 0) return from;
  // Letters from the first of the places reach all places that letters from the others reach.
  if (piece.is === 'star') return new Set(upTo(label.length - Math.min(...from)).map((more) => Math.min(...from) + more));
  if (piece.is === 'text') return new Set([...from].flatMap((at) => (label[at] === piece.text ? [at + 1] : [])));
  return new Set([...from].flatMap((at) => lengthsOf(piece.ranges, label, at).map((length) => at + length)));
}

/** The counts of digits from there on that are a number in one of the ranges; several counts up to nine may be. */
function lengthsOf(ranges: readonly Range[], label: string, at: number): number[] {
  const lengths: number[] = [];
  for (let length = 1; length <= digitsMax && isDigit(label[at + length - 1]); length++)
    if (isIn(ranges, label.slice(at, at + length))) lengths.push(length);
  return lengths;
}

/** 0, 1 … n. */
const upTo = (n: number): number[] => Array.from({ length: n + 1 }, (_, i) => i);

const isIn = (ranges: readonly Range[], digits: string): boolean =>
  ranges.some(({ from, to, width }) => {
    const isWritten = width === undefined ? digits === '0' || digits[0] !== '0' : digits.length === width;
    return isWritten && Number(digits) >= from && Number(digits) <= to;
  });

const isDigit = (one: string | undefined): boolean => one !== undefined && one >= '0' && one <= '9';
const isDigits = (text: string): boolean => text !== '' && [...text].every(isDigit);
const isLetter = (one: string): boolean => (one >= 'a' && one <= 'z') || isDigit(one) || one === '-';

function alternativeOf(text: string): Alternative | undefined {
  if (text === '*') return 'every';
  const labels = split(text, '.').map(piecesOf);
  return labels.every((one) => one !== undefined) ? labels : undefined;
}

/** The pieces of a label; undefined if it is empty or has a character that no name has. */
function piecesOf(label: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (let at = 0; at < label.length; ) {
    const one = label[at]!;
    const end = one === '[' ? label.indexOf(']', at) + 1 : at + 1;
    const piece = one === '[' ? numberOf(label.slice(at + 1, end - 1)) : letterOf(one);
    if (end === 0 || !piece) return undefined;
    pieces.push(piece);
    at = end;
  }
  return pieces.length > 0 ? pieces : undefined;
}

const letterOf = (one: string): Piece | undefined => {
  if (one === '*') return { is: 'star' };
  return isLetter(one) ? { is: 'text', text: one } : undefined;
};

function numberOf(text: string): Piece | undefined {
  const ranges = text.split(',').map(rangeOf);
  return ranges.every((range) => range !== undefined) ? { is: 'number', ranges } : undefined;
}

/** `7`, `1-40` or `001-040`: leading zeros are a width, which both ends must have. */
function rangeOf(text: string): Range | undefined {
  const [from = '', to = from, ...more] = text.split('-');
  const isWritten = [from, to].every((end) => isDigits(end) && end.length <= digitsMax);
  if (!isWritten || more.length > 0 || Number(from) > Number(to)) return undefined;
  const hasZeros = [from, to].some((end) => end.length > 1 && end[0] === '0');
  if (hasZeros && from.length !== to.length) return undefined;
  return { from: Number(from), to: Number(to), ...(hasZeros && { width: from.length }) };
}

/** Splits at a sign outside brackets. */
function split(text: string, sign: string): string[] {
  const parts = [''];
  let isInside = false;
  for (const one of text) {
    if (one === '[') isInside = true;
    if (one === ']') isInside = false;
    if (one === sign && !isInside) parts.push('');
    else parts[parts.length - 1] += one;
  }
  return parts;
}
