/**
 * What is wrong with a query: at which column, from 1, if the server says so; what to do about it, in words; and the
 * whole query as it was perhaps meant, with what is shown of it.
 */
export type Complaint = {
  readonly column?: number;
  readonly problem: string;
  readonly advice?: string;
  readonly meant?: { readonly query: string; readonly shown: string };
};

/**
 * Reads the detail of a `bad-query`, `column 6: there is no field tga; did you mean web1 tag:db?`, beside its member
 * `didYouMean`. The detail has only a piece of a long suggestion.
 */
export function complaintOf(detail: string, didYouMean?: string): Complaint {
  const [, column, said = detail] = /^column (\d+): (.*)$/s.exec(detail) ?? [];
  const at = { ...(column !== undefined && { column: Number(column) }) };
  const [, problem, shown] = /^(.*); did you mean (.*)\?$/s.exec(said) ?? [];
  if (problem !== undefined && shown !== undefined && didYouMean !== undefined)
    return { ...at, problem, meant: { query: didYouMean, shown } };
  const cut = said.lastIndexOf('; ');
  return cut < 0 ? { ...at, problem: said } : { ...at, problem: said.slice(0, cut), advice: said.slice(cut + 2) };
}

const shownMax = 60;

/** A line of the query around a column, from 1, and how far in that line the column is. */
export function excerptOf(query: string, column: number): { readonly line: string; readonly indent: number } {
  const at = Math.min(Math.max(column - 1, 0), query.length);
  const from = Math.max(0, Math.min(at - shownMax / 2, query.length - shownMax));
  const isCut = from > 0;
  const line = `${isCut ? '…' : ''}${query.slice(from, from + shownMax)}${from + shownMax < query.length ? '…' : ''}`;
  return { line: line.replace(/\s/g, ' '), indent: at - from + (isCut ? 1 : 0) };
}
