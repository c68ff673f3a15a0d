import { depthMax, NotPlain, tooDeep } from './fault.ts';
import { beginsWord, type Cursor, control, flow, isPlainKey, type Mark, put, quoted, withoutSpaces } from './flow.ts';
import { resolved } from './scalar.ts';

/** A cursor between lines: `column` is that of the next thing to read, −1 at the end of the text. */
type Lines = Cursor & { column: number };

/**
 * Reads JSON, and YAML as machines and nearly all people write it: mappings and lists by indentation or in brackets on
 * one line, words and strings of one line, comments. The result is the same as from the `yaml` package, at a twentieth
 * of the time and memory; see docs/decisions/0044. Throws NotPlain at any other YAML, and a Fault at text that no
 * reader can read. The text has no carriage returns.
 */
export function readPlain(text: string, mark?: Mark): unknown {
  const from = /^(---( *| +#[^\n]*)\n)?/.exec(text)![0].length;
  const lines: Lines = { text, at: from, depth: 0, mark, column: 0, overLines: false };
  nextLine(lines);
  if (lines.column < 0) throw new NotPlain(text.length, 'the text has no content');
  if ('[{'.includes(text[lines.at]!)) return alone({ ...lines, overLines: true });
  const value = block(lines, lines.column);
  if (lines.column >= 0) throw indentation(lines);
  return value;
}

/** One value in brackets, and nothing after it. */
function alone(lines: Lines): unknown {
  const value = flow(lines);
  nextLine(lines);
  if (lines.column >= 0) throw new NotPlain(lines.at, 'something follows where the text should end');
  return value;
}

/** The value that begins here, at this column. Afterwards the cursor is at the next line with content. */
function block(lines: Lines, column: number): unknown {
  if (isDash(lines)) return nested(lines, sequence, column);
  if (keyEnd(lines) !== undefined) return nested(lines, mapping, column);
  const value = inline(lines);
  nextLine(lines);
  return value;
}

function nested(lines: Lines, read: (lines: Lines, column: number) => unknown, column: number): unknown {
  if (++lines.depth > depthMax) throw tooDeep(lines.at);
  const value = read(lines, column);
  lines.depth--;
  return value;
}

function sequence(lines: Lines, column: number): unknown[] {
  const items: unknown[] = [];
  while (lines.column === column && isDash(lines)) {
    const dashAt = lines.at;
    lines.at++;
    const isLater = endsLine(lines);
    if (isLater) nextLine(lines);
    const itemAt = isLater && lines.column <= column ? dashAt : lines.at;
    const own = isLater ? lines.column : column + lines.at - dashAt;
    // On the line of its dash a thing has a column of its own, at which its other lines continue.
    if (!isLater) lines.column = own;
    items.push(own > column ? block(lines, own) : null);
    lines.mark?.(items, items.length - 1, itemAt);
    if (lines.column > column) throw indentation(lines);
  }
  return items;
}

function mapping(lines: Lines, column: number): Record<string, unknown> {
  const entries: Record<string, unknown> = {};
  while (lines.column === column) {
    const at = lines.at;
    const key = keyHere(lines);
    put(lines, entries, key, at, valueAt(lines, column));
    if (lines.column > column) throw indentation(lines);
    if (lines.column === column && isDash(lines)) throw indentation(lines);
  }
  return entries;
}

function valueAt(lines: Lines, column: number): unknown {
  if (!endsLine(lines)) {
    const value = inline(lines);
    nextLine(lines);
    return value;
  }
  nextLine(lines);
  if (lines.column > column) return block(lines, lines.column);
  // A list may be as far left as the key that it belongs to.
  return lines.column === column && isDash(lines) ? nested(lines, sequence, column) : null;
}

/** The end of the key that begins here, undefined when there is none. */
function keyEnd({ text, at }: Lines): number | undefined {
  if (text[at] === '"' || text[at] === "'") return isQuotedKey(text, at) ? at : undefined;
  let end = at;
  while (end < text.length && isNameChar(text.charCodeAt(end))) end++;
  const next = text[end + 1];
  return end > at && text[end] === ':' && (next === ' ' || next === '\n' || next === undefined) ? end : undefined;
}

const isNameChar = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x5f ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  code === 0x2d ||
  code === 0x2e;

function isQuotedKey(text: string, at: number): boolean {
  const peeking: Cursor = { text, at, depth: 0, mark: undefined, overLines: false };
  const key = quoted(peeking);
  return key.length <= 999 && text[peeking.at] === ':' && /[ \n]|^$/.test(text[peeking.at + 1] ?? '');
}

function keyHere(lines: Lines): string {
  const { text, at } = lines;
  const end = keyEnd(lines);
  if (end === undefined) throw new NotPlain(at, 'here a key and a : are missing');
  const key = end === at ? quoted(lines) : text.slice(at, end);
  if (end !== at) lines.at = end;
  if (end !== at && !isPlainKey(key)) throw new NotPlain(at, 'this key is more than a name');
  lines.at++;
  return key;
}

/** A value on one line. */
function inline(lines: Lines): unknown {
  const { text, at } = lines;
  const first = text[at]!;
  if (first === '"' || first === "'") return quoted(lines);
  if (first === '[' || first === '{') return flow(lines);
  if (!beginsWord(text, at)) throw new NotPlain(at, `a word cannot begin with ${first} here`);
  const lineEnd = endOfLine(text, at);
  const line = text.slice(at, lineEnd);
  const comment = line.indexOf(' #');
  const word = withoutSpaces(comment < 0 ? line : line.slice(0, comment));
  if (control.test(word)) throw new NotPlain(at, 'a character that does not print');
  if (word.includes(': ') || word.endsWith(':')) throw new NotPlain(at, 'a : within a word');
  lines.at = lineEnd;
  return resolved(word);
}

const isDash = ({ text, at }: Lines): boolean =>
  text[at] === '-' && (text[at + 1] === ' ' || text[at + 1] === '\n' || at + 1 === text.length);

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

/** Skips spaces, and returns whether nothing but a comment follows in this line. */
function endsLine(lines: Lines): boolean {
  const { text } = lines;
  const from = lines.at;
  while (text[lines.at] === ' ') lines.at++;
  const next = text[lines.at];
  return next === undefined || next === '\n' || (next === '#' && lines.at > from);
}

/** Goes to the next line with content. Throws NotPlain when this one is not at its end. */
function nextLine(lines: Lines): void {
  const { text } = lines;
  const isFirst = lines.at === 0 || text[lines.at - 1] === '\n';
  if (!isFirst && !endsLine(lines)) throw new NotPlain(lines.at, 'something follows where the line should end');
  let start = isFirst ? lines.at : endOfLine(text, lines.at) + 1;
  for (; start < text.length; start = endOfLine(text, start) + 1) {
    let at = start;
    while (text.charCodeAt(at) === 0x20) at++;
    const next = text[at];
    if (next === undefined || next === '\n' || next === '#') continue;
    if (next === '\t') throw new NotPlain(at, 'a tab where spaces indent');
    if (at === start && (next === '%' || /^(---|\.\.\.)([ \t\n]|$)/.test(text.slice(at, at + 4))))
      throw new NotPlain(at, 'another document');
    lines.at = at;
    lines.column = at - start;
    return;
  }
  lines.at = text.length;
  lines.column = -1;
}

const indentation = ({ at }: Lines): NotPlain => new NotPlain(at, 'its indentation does not match the lines before it');
