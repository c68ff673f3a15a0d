import type { MergeLimits } from '../limits.ts';
import { AnswerRefused } from '../refusal.ts';
import { decoded } from './characters.ts';
import { after, type Bound, type State } from './grammar.ts';

/** How far markup was read: up to where, in which state then, and whether it ends there by itself. */
export type Walked = { readonly at: number; readonly to: State; readonly bounds: readonly Bound[]; readonly isWhole: boolean };

/** Longer markup without a text is read in parts, as in an array of empty values. */
const stretch = 512;
/** Longer than any tag of XML-RPC with blanks. */
const tagMax = 64;
const tagOf = /^<(\/?)([A-Za-z0-9.:]+)[ \t\r\n]*(\/?)>/;
const nameEnd = /^<\/name[ \t\r\n]*>/;

type Next = { readonly to: State; readonly end: number };

/**
 * Reads tags from one text to the next. `text` holds bytes as characters, and a tag begins at `from`. What is not whole
 * yet stays unread. Throws {@link AnswerRefused} for what is no XML-RPC.
 */
export function walk(text: string, from: number, start: State, limits: MergeLimits): Walked {
  const bounds: Bound[] = [];
  let at = from;
  let open = from;
  let to = start;
  while (text[open] === '<' && text[open + 1] !== '!') {
    const next = soundAt(text, open, to, limits, bounds, open > from);
    if (next === undefined) return { at, to, bounds, isWhole: false };
    at = next.end;
    to = next.to;
    if (isTextNext(text, at, to) || at - from > stretch) return { at, to, bounds, isWhole: at < text.length };
    open = afterBlanks(text, at);
  }
  return { at, to, bounds, isWhole: false };
}

/** Whether a text comes next: always in a leaf, and after `<value>` unless a type follows at once. */
const isTextNext = (text: string, at: number, { mode, isBetween }: State): boolean =>
  mode === 'value' ? text[at] !== '<' || text[at + 1] === '/' || text[at + 1] === '!' : !isBetween;

/** The same as {@link nextAt}; what is refused after other tags is left for the next time, so that these count. */
function soundAt(...[text, open, from, limits, bounds, isLater]: [...Parameters<typeof nextAt>, boolean]): Next | undefined {
  try {
    return nextAt(text, open, from, limits, bounds);
  } catch (error) {
    if (isLater && error instanceof AnswerRefused) return undefined;
    throw error;
  }
}

function nextAt(text: string, open: number, from: State, limits: MergeLimits, bounds: Bound[]): Next | undefined {
  const tag = tagAt(text, open);
  if (tag === undefined) return undefined;
  if (from.mode === 'member' && tag.name === '<name>') return namedAt(text, tag.end, from, limits);
  const to = after(from, tag.name);
  if (to.place.depth > limits.depthMax) throw new AnswerRefused('refused', `values lie more than ${limits.depthMax} deep`);
  addBounds(bounds, from, tag.name, open, tag.end);
  return { to, end: tag.end };
}

/** The tag at an offset, without blanks; undefined if more is needed. */
function tagAt(text: string, open: number): { readonly name: string; readonly end: number } | undefined {
  const rest = text.slice(open, open + tagMax);
  const [whole, closing, name, empty] = tagOf.exec(rest) ?? [];
  if (whole !== undefined) return { name: `<${closing}${name}${empty}>`, end: open + whole.length };
  if (rest.length < tagMax && !rest.includes('>')) return undefined;
  if (rest.startsWith('<?')) throw new AnswerRefused('refused', 'a processing instruction is not allowed');
  throw new AnswerRefused('malformed', `${rest.slice(0, 32)} is no tag of XML-RPC`);
}

/** The name of a member and its closing tag, after `<name>`. */
function namedAt(text: string, from: number, { place }: State, limits: MergeLimits): Next | undefined {
  const close = text.indexOf('<', from);
  const length = (close === -1 ? text.length : close) - from;
  if (length > limits.nameBytesMax)
    throw new AnswerRefused('too-large', `the name of a member is longer than ${limits.nameBytesMax} bytes`);
  if (close === -1) return undefined;
  const [end] = nameEnd.exec(text.slice(close, close + tagMax)) ?? [];
  if (end !== undefined) return { to: place.child(`.${decoded(text.slice(from, close))}`).in('named'), end: close + end.length };
  if (tagAt(text, close) === undefined) return undefined;
  throw new AnswerRefused('malformed', 'the name of a member holds something else than text');
}

/** Notes where elements of the outermost array begin and end. */
function addBounds(bounds: Bound[], { mode, place }: State, tag: string, open: number, end: number): void {
  if (place.depth > 1) return;
  const isElement = mode === 'data' && place.depth === 0 && tag !== '</data>';
  if (isElement) bounds.push({ is: 'start', at: open });
  if (isElement ? tag === '<value/>' : tag === '</value>' && place.step === '[]') bounds.push({ is: 'end', at: end });
  if (tag === '<array>' && place.depth === 0) bounds.push({ is: 'list', at: end });
}

/** The offset of the first character from `at` that is not blank. */
export function afterBlanks(text: string, at: number): number {
  let to = at;
  while (to < text.length && isBlank(text.charCodeAt(to))) to++;
  return to;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
