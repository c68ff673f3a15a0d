import { depthMax, NotPlain, noKey, tooDeep, twice } from './fault.ts';
import { resolved } from './scalar.ts';

/** Is called with the place where each entry of a list or mapping begins, in characters from the start of the text. */
export type Mark = (container: object, key: string | number, at: number) => void;

/** A place in a text that is being read. */
export type Cursor = {
  readonly text: string;
  /** The next character to read. */
  at: number;
  /** The number of lists and mappings around it. */
  depth: number;
  readonly mark: Mark | undefined;
  /** Whether brackets may go over several lines, which needs no indentation at the root alone. */
  readonly overLines: boolean;
};

/** Control characters and the byte order mark, which no string or word of one line may contain. */
export const control = /[\p{Cc}\ufeff]/u;

/**
 * The characters that a word without quotes must not begin with: indicators of YAML (section 5.3), and others that
 * would make it ambiguous.
 */
const indicators = '-?:,[]{}#&*!|>\'"%@`=';

/** Whether a word without quotes may begin like this; a minus only before a digit or a dot. */
export const beginsWord = (text: string, at: number): boolean =>
  !indicators.includes(text[at]!) || (text[at] === '-' && /[\d.]/.test(text[at + 1] ?? ''));

/** Puts an entry into a mapping. Throws a Fault when it is there already. */
export function put(c: Cursor, mapping: Record<string, unknown>, key: string, at: number, value: unknown): void {
  if (key === '__proto__') throw noKey(at);
  if (Object.hasOwn(mapping, key)) throw twice(at, key);
  mapping[key] = value;
  c.mark?.(mapping, key, at);
}

/** A string in quotes, on one line. */
export function quoted(c: Cursor): string {
  return c.text[c.at] === '"' ? doubleQuoted(c) : singleQuoted(c);
}

function doubleQuoted(c: Cursor): string {
  const { text, at } = c;
  let end = text.indexOf('"', at + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end < 0) throw new NotPlain(at, 'these quotes are not closed');
  c.at = end + 1;
  const within = text.slice(at + 1, end);
  if (!within.includes('\\') && !control.test(within)) return within;
  try {
    return JSON.parse(text.slice(at, end + 1)) as string;
  } catch {
    throw new NotPlain(at, 'this string has more than the escapes of JSON, or goes over several lines');
  }
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from--;
  return (at - from) % 2 === 1;
}

function singleQuoted(c: Cursor): string {
  const { text, at } = c;
  let end = text.indexOf("'", at + 1);
  while (end > 0 && text[end + 1] === "'") end = text.indexOf("'", end + 2);
  if (end < 0) throw new NotPlain(at, 'these quotes are not closed');
  c.at = end + 1;
  const within = text.slice(at + 1, end);
  if (control.test(within)) throw new NotPlain(at, 'this string goes over several lines');
  return within.includes("'") ? within.replaceAll("''", "'") : within;
}

/** A list, a mapping, a string or a word, as JSON writes them and YAML in brackets. */
export function flow(c: Cursor): unknown {
  const first = c.text[c.at];
  if (first === '"' || first === "'") return quoted(c);
  if (first !== '[' && first !== '{') return resolved(flowWord(c));
  if (++c.depth > depthMax) throw tooDeep(c.at);
  const value = first === '[' ? list(c) : mapping(c);
  c.depth--;
  return value;
}

function list(c: Cursor): unknown[] {
  const items: unknown[] = [];
  c.at++;
  for (space(c); c.text[c.at] !== ']'; comma(c, ']')) {
    const at = c.at;
    items.push(flow(c));
    c.mark?.(items, items.length - 1, at);
    space(c);
  }
  c.at++;
  return items;
}

function mapping(c: Cursor): Record<string, unknown> {
  const entries: Record<string, unknown> = {};
  c.at++;
  for (space(c); c.text[c.at] !== '}'; comma(c, '}')) {
    const at = c.at;
    const key = flowKey(c);
    space(c);
    put(c, entries, key, at, flow(c));
    space(c);
  }
  c.at++;
  return entries;
}

function flowKey(c: Cursor): string {
  const { text, at } = c;
  const isQuoted = text[at] === '"' || text[at] === "'";
  const key = isQuoted ? quoted(c) : flowWord(c);
  if (text[c.at] !== ':' || (!isQuoted && text[c.at + 1] !== ' ')) throw new NotPlain(c.at, 'here a : after a key is missing');
  if (!isQuoted && !isPlainKey(key)) throw new NotPlain(at, 'this key is more than a name');
  c.at++;
  return key;
}

/** A key without quotes that means itself: a name that no reader takes for a number, a boolean or null. */
export const isPlainKey = (key: string): boolean => /^[A-Za-z_][\w.-]{0,999}$/.test(key) && !/^(null|true|false)$/i.test(key);

/** A word without quotes within brackets: it ends at a comma, a bracket, a line's end, or a colon before a space. */
function flowWord(c: Cursor): string {
  const { text, at } = c;
  if (at >= text.length) throw new NotPlain(at, 'the text ends within brackets');
  if (!beginsWord(text, at)) throw new NotPlain(at, `a word cannot begin with ${text[at]} here`);
  let end = at;
  for (; end < text.length && !',[]{}\n'.includes(text[end]!); end++) {
    if (text[end] === '#') throw new NotPlain(end, 'a # within brackets');
    if (text[end] === ':' && /[ \t\n,[\]{}]|^$/.test(text[end + 1] ?? '')) break;
  }
  c.at = end;
  const word = withoutSpaces(text.slice(at, end));
  if (control.test(word)) throw new NotPlain(at, 'a character that does not print');
  return word;
}

/** The word without the spaces at its end. YAML does not count as space what JavaScript counts besides. */
export function withoutSpaces(word: string): string {
  let end = word.length;
  while (word.charCodeAt(end - 1) === 0x20) end--;
  return word.slice(0, end);
}

function comma(c: Cursor, closing: string): void {
  const sign = c.text[c.at];
  if (sign === closing) return;
  if (sign !== ',') throw new NotPlain(c.at, `here a comma or ${closing} is missing`);
  c.at++;
  space(c);
}

/** Skips spaces and lines between the parts within brackets. */
function space(c: Cursor): void {
  const { text } = c;
  for (; c.at < text.length; c.at++) {
    const code = text.charCodeAt(c.at);
    if (code === 0x20 || code === 0x09) continue;
    if (code !== 0x0a) return;
    if (!c.overLines) throw new NotPlain(c.at, 'brackets that go over several lines');
  }
}
