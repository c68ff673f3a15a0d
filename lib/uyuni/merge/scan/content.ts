import { AnswerRefused } from '../refusal.ts';
import { referenceAt, referenceMax } from './characters.ts';
import type { Mode } from './grammar.ts';

/** Longer than any number or moment; beyond it, a text of these types is not looked for an end any more. */
export const shortMax = 64;

const wholeNumber = /^[ \t\r\n]*[+-]?\d{1,19}[ \t\r\n]*$/;
const formOf: Partial<Readonly<Record<Mode, RegExp>>> = {
  int: wholeNumber,
  i4: wholeNumber,
  i8: wholeNumber,
  boolean: /^[ \t\r\n]*[01][ \t\r\n]*$/,
  double: /^[ \t\r\n]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?[ \t\r\n]*$/,
  'dateTime.iso8601': /^[ \t\r\n]*[\d:.TZ+-]+[ \t\r\n]*$/,
  nil: /^[ \t\r\n]*$/,
  'ex:nil': /^[ \t\r\n]*$/,
  base64: /^[A-Za-z0-9+/=\s]*$/,
};
/** Whether a text of this mode must be whole to be judged. */
export const isShort = (mode: Mode): boolean => mode !== 'string' && mode !== 'value' && mode !== 'base64';

/** The texts between tags in one part of an answer, whose bytes are the characters of `text`. */
export class Content {
  readonly #text: string;
  /** The next `&`, and the next `]]>`, from where it was last looked for. */
  #reference = -1;
  #ending = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Throws unless the text between two offsets may be in a leaf, or in a value without a type. */
  judge(mode: Mode, from: number, to: number): void {
    if (mode === 'string' || mode === 'value') {
      if (from < to) this.#judgeText(from, to);
      return;
    }
    if (!this.#isPlain(mode, from, to) && formOf[mode]?.test(this.#text.slice(from, to)) !== true)
      throw new AnswerRefused('malformed', `“${this.#text.slice(from, Math.min(to, from + 40))}” is no ${mode}`);
  }

  /** How much of a text whose end is not there yet may be passed on: nothing of a reference or `]]>` that has begun. */
  sureEnd(from: number): number {
    const text = this.#text;
    const reference = text.lastIndexOf('&');
    if (reference >= Math.max(from, text.length - referenceMax) && !text.includes(';', reference)) return reference;
    if (text.endsWith(']]')) return Math.max(from, text.length - 2);
    return text.endsWith(']') ? Math.max(from, text.length - 1) : text.length;
  }

  /** Whether it is a number or moment as servers write it: faster than an expression, which has the last word. */
  #isPlain(mode: Mode, from: number, to: number): boolean {
    const isMoment = mode === 'dateTime.iso8601';
    if (to === from || to - from > 18 || !(isMoment || mode === 'i4' || mode === 'int')) return false;
    for (let at = from; at < to; at++) {
      const code = this.#text.charCodeAt(at);
      const isDigit = code >= 0x30 && code <= 0x39;
      if (!isDigit && !(isMoment && (code === 0x54 || code === 0x3a || code === 0x2d))) return false;
    }
    return true;
  }

  #judgeText(from: number, to: number): void {
    if (this.#ending < from && this.#ending !== Number.POSITIVE_INFINITY) this.#ending = this.#next(']]>', from);
    if (this.#ending < to) throw new AnswerRefused('malformed', 'a text holds ]]>');
    if (this.#reference < from && this.#reference !== Number.POSITIVE_INFINITY) this.#reference = this.#next('&', from);
    while (this.#reference < to) this.#reference = this.#next('&', referenceAt(this.#text, this.#reference).end);
  }

  #next(what: string, from: number): number {
    const found = this.#text.indexOf(what, from);
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  }
}
