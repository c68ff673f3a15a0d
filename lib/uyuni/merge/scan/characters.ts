import { AnswerRefused } from '../refusal.ts';

/** In bytes as characters, one that is not ASCII, or that XML has not. */
const odd = /[^\t\n\r\x20-\x7f]/;

/**
 * Whether bytes are ASCII without control characters, ends of lines among them; false for a few bytes. It reads four
 * at a time, in a third of the time of an expression: in a word from which blanks were taken away, a byte that was less
 * than a blank has its highest bit set.
 */
function isPlain(bytes: Uint8Array): boolean {
  if (bytes.length < 8) return false;
  const before = -bytes.byteOffset & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + before, (bytes.length - before) >> 2);
  let found = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    found |= (word - 0x20202020) | word;
  }
  const isByte = (byte: number): boolean => byte >= 0x20 && byte < 0x80;
  return (found & 0x80808080) === 0 && bytes.subarray(0, before).every(isByte) && bytes.subarray(before + words.length * 4).every(isByte);
}
/** What XML cannot hold: https://www.w3.org/TR/xml/#charsets. */
const unsayable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Looks at bytes that come in parts, and says how many of them are sound: UTF-8, of characters that XML allows. A
 * character may be split between parts.
 */
export class Characters {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The beginning of a character whose rest is in the next part. */
  #begun: Uint8Array = new Uint8Array();

  /** How many bytes of this part are sound, from its beginning. `text` is the part, a character for each byte. */
  soundIn(part: Uint8Array, text: string): number {
    if (this.#begun.length === 0 && (isPlain(part) || !odd.test(text))) return part.length;
    const before = this.#begun.length;
    const all = before === 0 ? part : Buffer.concat([this.#begun, part]);
    const whole = all.length - begunIn(all);
    this.#begun = all.slice(whole);
    if (this.#isSound(all.subarray(0, whole))) return part.length;
    return Math.max(0, this.#firstUnsound(all.subarray(0, whole)) - before);
  }

  /** Whether the last character is whole. */
  get isWhole(): boolean {
    return this.#begun.length === 0;
  }

  #isSound(bytes: Uint8Array): boolean {
    try {
      return !unsayable.test(this.#utf8.decode(bytes));
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  }

  /** By halves: the bytes are known to be unsound. */
  #firstUnsound(bytes: Uint8Array): number {
    let [sound, unsound] = [0, bytes.length];
    while (unsound - sound > 1) {
      const middle = (sound + unsound) >> 1;
      const whole = middle - begunIn(bytes.subarray(0, middle));
      if (whole > sound && this.#isSound(bytes.subarray(sound, whole))) sound = whole;
      else if (whole > sound) unsound = middle;
      else break;
    }
    return sound;
  }
}

/** How many bytes at the end are a character that has only begun. */
function begunIn(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** A text in which what XML cannot hold is a question mark. */
export const sayableText = (text: string): string => Array.from(text, (one) => (unsayable.test(one) ? '?' : one)).join('');

const reference = /^&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/;
/** Longer than any reference: `&#1114111;`. */
export const referenceMax = 12;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The character that a reference at an offset stands for, and where the reference ends. Throws for any other. */
export function referenceAt(text: string, at: number): { readonly character: string; readonly end: number } {
  const begun = text.slice(at, at + referenceMax);
  const [whole, name, decimal, hex] = reference.exec(begun) ?? [];
  if (whole === undefined) throw new AnswerRefused('refused', `${begun} is no reference of XML without declarations`);
  const code = decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal);
  const numbered = code <= 0x10ffff ? String.fromCodePoint(code) : '\0';
  const character = (name === undefined ? undefined : named[name]) ?? numbered;
  if (unsayable.test(character)) throw new AnswerRefused('malformed', `${whole} is a character that XML has not`);
  return { character, end: at + whole.length };
}

/** A text with its references replaced. Throws for a reference that is none. */
export function decoded(text: string): string {
  let found = '';
  let from = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', from)) {
    const { character, end } = referenceAt(text, at);
    found += text.slice(from, at) + character;
    from = end;
  }
  return from === 0 ? text : found + text.slice(from);
}
