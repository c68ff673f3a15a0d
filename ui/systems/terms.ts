/** A piece of a query between spaces: a word, or what is in parentheses, with what sticks to it. */
type Piece = { readonly text: string; readonly at: number };

/** The pieces of a query; spaces in quotes and in parentheses part nothing. */
export function piecesOf(query: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < query.length; at++) {
    if (/\s/.test(query.charAt(at))) continue;
    const end = endOf(query, at);
    pieces.push({ text: query.slice(at, end), at });
    at = end;
  }
  return pieces;
}

/** Where the piece that begins at an index ends. */
function endOf(query: string, from: number): number {
  let depth = 0;
  for (let at = from; at < query.length; at++) {
    const char = query.charAt(at);
    if (char === '\\') at++;
    else if (char === '"' || char === "'") at = quoteFrom(query, at);
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (depth <= 0 && /\s/.test(char)) return at;
  }
  return query.length;
}

/** Where a quote that begins at an index is closed, or the end of the query. */
function quoteFrom(query: string, from: number): number {
  for (let at = from + 1; at < query.length; at++) {
    if (query.charAt(at) === '\\') at++;
    else if (query.charAt(at) === query.charAt(from)) return at;
  }
  return query.length;
}

const isWord = (piece: Piece | undefined, ...words: readonly string[]): boolean =>
  piece !== undefined && words.includes(piece.text.toLowerCase());
const isAnd = (piece: Piece | undefined): boolean => isWord(piece, 'and', '&&');
const isNot = (piece: Piece | undefined): boolean => isWord(piece, 'not', '!', '-');
const hasOr = (pieces: readonly Piece[]): boolean => pieces.some((piece) => isWord(piece, 'or') || piece.text.includes('||'));

/** The terms that all must hold, each as it is written; none where the query is a choice. */
export function termsOf(query: string): readonly string[] {
  const pieces = piecesOf(query);
  if (hasOr(pieces)) return [];
  return pieces.flatMap((piece, n) => {
    if (isAnd(piece) || isNot(piece)) return [];
    return [isNot(pieces[n - 1]) ? `not ${piece.text}` : piece.text];
  });
}

/** A query that asks for a term besides. */
export function withTerm(query: string, term: string): string {
  const before = query.trim();
  if (before === '') return term;
  return `${hasOr(piecesOf(before)) ? `(${before})` : before} ${term}`;
}

/** A query without one of {@link termsOf}, and without the operator that joined it. */
export function withoutTerm(query: string, term: string): string {
  const pieces = piecesOf(query);
  const isIt = (piece: Piece, n: number): boolean => (isNot(pieces[n - 1]) ? `not ${piece.text}` : piece.text) === term;
  const at = pieces.findIndex(isIt);
  if (at < 0) return query;
  const first = isNot(pieces[at - 1]) ? at - 1 : at;
  const [from, to] = isAnd(pieces[first - 1]) ? [first - 1, at] : [first, isAnd(pieces[at + 1]) ? at + 1 : at];
  return unwrapped(pieces.filter((_, n) => n < from || n > to).map(({ text }) => text));
}

/** What was put into parentheses for a term that is gone needs them no more. */
function unwrapped(texts: readonly string[]): string {
  const [only] = texts;
  return texts.length === 1 && only !== undefined && isOnePair(only) ? only.slice(1, -1) : texts.join(' ');
}

/** Whether the parenthesis that begins a text is closed by the one that ends it. */
function isOnePair(text: string): boolean {
  let depth = 0;
  for (const [n, char] of [...text].entries()) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (depth === 0) return n > 0 && n === [...text].length - 1;
  }
  return false;
}

/** The query with a term if it has none, and without it if it has. */
export const toggled = (query: string, term: string): string =>
  termsOf(query).includes(term) ? withoutTerm(query, term) : withTerm(query, term);

/** The term that a value of a field is asked for by; in quotes where it would be read as anything else. */
export const termOf = (field: string, value: string): string =>
  `${field}:${/^[\p{L}\p{N}][\p{L}\p{N}._@+/-]*$/u.test(value) && !value.includes('..') ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
