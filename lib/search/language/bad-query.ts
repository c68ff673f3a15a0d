import { MusterError } from '../../core/errors.ts';
import { printable } from '../../core/printable.ts';

/** What is wrong with a query. `problem` is a clause, `expected` names what belongs there instead. */
export type Fault = {
  /** Where it is, as an index into the text, from 0; and what is there. */
  readonly at: number;
  readonly found: string;
  readonly problem: string;
  readonly expected: string;
  /** A change of the text that may be what was meant: from one index to before the other, this text instead. */
  readonly fix?: Fix | undefined;
};
export type Fix = { readonly from: number; readonly to: number; readonly text: string };

/** How much of a query, and of a word in it, a message repeats, in characters. */
const shownMax = 120;
const wordMax = 40;

/**
 * A query that cannot be read. `column` is from 1, in UTF-16 units; `found` is the text there, empty at the end of the
 * query; `didYouMean` is the whole query as it was perhaps meant. The message says what happened, where, and what to
 * write.
 */
export class BadQuery extends MusterError {
  override readonly name = 'BadQuery';
  readonly column: number;
  readonly expected: string;
  readonly found: string;
  readonly didYouMean?: string;

  /** `text`: the whole query. */
  constructor(text: string, { at, found, problem, expected, fix }: Fault) {
    const meant = fix && text.slice(0, fix.from) + fix.text + text.slice(fix.to);
    const advice = meant === undefined ? `write ${expected}` : `did you mean ${shown(meant.length > shownMax && fix ? fix.text : meant)}?`;
    super('query.bad', `column ${at + 1}: ${shortened(problem)}; ${advice}`, 'never');
    this.column = at + 1;
    this.expected = expected;
    this.found = found;
    if (meant !== undefined) this.didYouMean = meant;
  }
}

const shown = (text: string): string => printable(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);

/** A problem with what it repeats of the query cut word by word, so that what it says of it is still there. */
const shortened = (problem: string): string => {
  const words = problem.split(' ').map((word) => (word.length > wordMax ? `${word.slice(0, wordMax)}…` : word));
  return printable(words.join(' ').slice(0, 2 * shownMax));
};
