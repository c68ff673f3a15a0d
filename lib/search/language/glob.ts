/**
 * A part of a glob: literal text, `?`, `*`, or `[a-z]`. Characters are UTF-16 units, as in the index of a string.
 */
export type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'one' }
  | { readonly is: 'many' }
  | { readonly is: 'class'; readonly isNegated: boolean; readonly ranges: readonly CharRange[] };
/** Characters from the first to the last, both included; none if the last comes before the first. */
export type CharRange = { readonly from: string; readonly to: string };

/**
 * The parts of a glob. A backslash makes the next character literal, in a class too; a `[` that nothing closes is
 * literal, and so is a `]` directly after `[` or `[!`, as in fnmatch(3). `[^a]` is `[!a]`. Takes time linear in the
 * text.
 */
export function readGlob(glob: string): readonly Part[] {
  const parts: Part[] = [];
  // Where one bracket is not closed, no later one is: looking again each time would be quadratic.
  let closes = true;
  for (let at = 0; at < glob.length; ) {
    const found = glob.charAt(at) === '[' ? closes && readClass(glob, at) : readOne(glob, at);
    if (!found) closes = false;
    const { part, end } = found || { part: { is: 'text', text: '[' }, end: at + 1 };
    add(parts, part);
    at = end;
  }
  return parts;
}

type Read = { readonly part: Part; readonly end: number };

/** Joins texts, and stars, that follow each other. */
function add(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.is === 'text' && last?.is === 'text') parts[parts.length - 1] = { is: 'text', text: last.text + part.text };
  else if (part.is !== 'many' || last?.is !== 'many') parts.push(part);
}

function readOne(glob: string, at: number): Read {
  if (glob.charAt(at) === '*') return { part: { is: 'many' }, end: at + 1 };
  if (glob.charAt(at) === '?') return { part: { is: 'one' }, end: at + 1 };
  const { char, end } = member(glob, at);
  return { part: { is: 'text', text: char }, end };
}

function readClass(glob: string, from: number): Read | undefined {
  const isNegated = /[!^]/.test(glob.charAt(from + 1));
  const first = from + (isNegated ? 2 : 1);
  const ranges: CharRange[] = [];
  for (let at = first; at < glob.length; ) {
    if (glob.charAt(at) === ']' && at > first) return { part: { is: 'class', isNegated, ranges }, end: at + 1 };
    const low = member(glob, at);
    const isRange = glob.charAt(low.end) === '-' && low.end + 1 < glob.length && glob.charAt(low.end + 1) !== ']';
    const high = isRange ? member(glob, low.end + 1) : low;
    ranges.push({ from: low.char, to: high.char });
    at = high.end;
  }
  return undefined;
}

const member = (glob: string, at: number): { readonly char: string; readonly end: number } =>
  glob.charAt(at) === '\\' && at + 1 < glob.length ? { char: glob.charAt(at + 1), end: at + 2 } : { char: glob.charAt(at), end: at + 1 };

/** A text as a glob that is this text alone. */
export const escapeGlob = (text: string): string => text.replace(/[*?[\]\\]/g, '\\$&');

/** A glob of these parts, as `print` and the tree write it: with no backslash that means nothing. */
export const globOf = (parts: readonly Part[]): string => parts.map(textOf).join('');

function textOf(part: Part): string {
  switch (part.is) {
    case 'text':
      return escapeGlob(part.text);
    case 'one':
      return '?';
    case 'many':
      return '*';
    case 'class':
      return `[${part.isNegated ? '!' : ''}${part.ranges.map(rangeText).join('')}]`;
  }
}

const rangeText = ({ from, to }: CharRange): string => (from === to ? memberText(from) : `${memberText(from)}-${memberText(to)}`);
const memberText = (char: string): string => (/[0-9A-Za-z]/.test(char) ? char : `\\${char}`);

/** The text that a glob without wildcards stands for; undefined for a glob with any. */
export function exactOf(glob: string): string | undefined {
  const [first, ...more] = readGlob(glob);
  if (first === undefined) return '';
  return first.is === 'text' && more.length === 0 ? first.text : undefined;
}

/** What every value that a glob matches begins with, ends with, and has in it; empty where nothing is sure. */
export type Literals = { readonly prefix: string; readonly suffix: string; readonly infix: string };

/** The literal text at the beginning and the end of a glob, and the longest one anywhere. In the case of the glob. */
export function literalsOf(glob: string): Literals {
  const parts = readGlob(glob);
  const text = (part: Part | undefined): string => (part?.is === 'text' ? part.text : '');
  const infix = parts.map(text).reduce((longest, one) => (one.length > longest.length ? one : longest), '');
  return { prefix: text(parts[0]), suffix: text(parts.at(-1)), infix };
}

/**
 * A test of whole values by a glob. `folds`: upper and lower case are the same. It takes at most as many steps as the
 * value has characters times those of the longest run between stars, and no pattern makes it worse than that.
 */
export function globMatcher(glob: string, { folds }: { readonly folds: boolean }): (value: string) => boolean {
  const [first = [], ...rest] = runsOf(readGlob(glob), folds);
  const last = rest.pop();
  return (given) => {
    const value = folds ? given.toLowerCase() : given;
    if (!fits(first, value, 0, folds)) return false;
    if (!last) return lengthOf(first) === value.length;
    let at = lengthOf(first);
    for (const run of rest) {
      const found = find(run, value, at, folds);
      if (found === undefined) return false;
      at = found + lengthOf(run);
    }
    const tail = value.length - lengthOf(last);
    return tail >= at && fits(last, value, tail, folds);
  };
}

/** A stretch without stars. Each has a fixed length, so that its first place is as good as any other. */
type Run = readonly Exclude<Part, { is: 'many' }>[];

function runsOf(parts: readonly Part[], folds: boolean): Run[] {
  const runs: Exclude<Part, { is: 'many' }>[][] = [[]];
  for (const part of parts)
    if (part.is === 'many') runs.push([]);
    else runs.at(-1)?.push(part.is === 'text' && folds ? { is: 'text', text: part.text.toLowerCase() } : part);
  return runs;
}

const lengthOf = (run: Run): number => run.reduce((sum, part) => sum + (part.is === 'text' ? part.text.length : 1), 0);

/** The first place from `at` on where a run fits. */
function find(run: Run, value: string, at: number, folds: boolean): number | undefined {
  const [only, ...more] = run;
  if (only?.is === 'text' && more.length === 0) {
    const found = value.indexOf(only.text, at);
    return found === -1 ? undefined : found;
  }
  for (let from = at; from + lengthOf(run) <= value.length; from++) if (fits(run, value, from, folds)) return from;
  return undefined;
}

function fits(run: Run, value: string, from: number, folds: boolean): boolean {
  let at = from;
  for (const part of run) {
    if (part.is === 'text' ? !value.startsWith(part.text, at) : at >= value.length) return false;
    if (part.is === 'class' && !isIn(part, value.charAt(at), folds)) return false;
    at += part.is === 'text' ? part.text.length : 1;
  }
  return true;
}

function isIn({ isNegated, ranges }: Extract<Part, { is: 'class' }>, char: string, folds: boolean): boolean {
  const spellings = folds ? [char, char.toUpperCase()] : [char];
  return isNegated !== ranges.some(({ from, to }) => spellings.some((one) => from <= one && one <= to));
}
