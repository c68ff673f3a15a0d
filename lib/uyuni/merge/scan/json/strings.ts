import { AnswerRefused } from '../../refusal.ts';

/** The longest escape: `\u00e4`. */
const escapeMax = 6;

/** Finds the ends of strings. */
export class Strings {
  /** Other control characters are none of a document: what comes here was looked at before. */
  readonly #plain = /[^"\\\t\n\r]*/y;
  /** A string without an escape, as most are. */
  readonly #whole = /[^"\\\t\n\r]*"/y;
  readonly #escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

  /**
   * Where a string ends, of which `at` is an offset after its first quote: after its last quote, or, if that is not
   * there yet, the complement (`~`) of the offset up to which it was read. Throws {@link AnswerRefused}.
   */
  end(text: string, at: number): number {
    this.#whole.lastIndex = at;
    if (this.#whole.test(text)) return this.#whole.lastIndex;
    let from = at;
    for (;;) {
      this.#plain.lastIndex = from;
      this.#plain.test(text);
      from = this.#plain.lastIndex;
      if (from === text.length) return ~from;
      if (text[from] === '"') return from + 1;
      this.#escaped.lastIndex = from;
      if (this.#escaped.test(text)) from = this.#escaped.lastIndex;
      else if (text[from] === '\\' && text.length - from < escapeMax) return ~from;
      else throw new AnswerRefused('malformed', 'a string holds a character that must be escaped, or an escape that is none');
    }
  }
}

/** What the string between two offsets, quotes and all, says; its characters are bytes. */
export const saidIn = (text: string, from: number, to: number): string => {
  const inside = text.slice(from + 1, to - 1);
  return inside.includes('\\') ? Buffer.from(String(JSON.parse(`"${inside}"`))).toString('latin1') : inside;
};
