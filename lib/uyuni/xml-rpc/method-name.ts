/** What the beginning of a call tells: its method, that more is needed, or why it cannot be told. */
export type HeadOfCall = { readonly method: string } | { readonly needs: 'more' } | { readonly unreadable: string };

/** The longest beginning in which a method must be named, in bytes: clients name it within the first hundred. */
export const headBytesMax = 8 * 1024;

/**
 * The beginning of a call up to its method, as every client writes it. Whatever a parser could read in another way is
 * not of this form: a DOCTYPE, references and comments in the name, parameters before it.
 */
const head =
  /^(?:\xef\xbb\xbf)?(?:<\?xml\s([^<>?]*)\?>)?(?:\s|<!--(?:-?[^-])*-->)*<methodCall(?:\s[^<>]*)?>\s*<methodName\s*>\s*([\w.:/-]+)\s*<\/methodName\s*>/;

/** Encodings in which the bytes of ASCII mean what they do in ASCII, and nothing else does. */
const asciiLike = /^(utf-?8|us-ascii|ascii|iso-8859-\d{1,2}|latin1|windows-125\d)$/i;

/** The method in the first bytes of a call. `isWhole`: no more will come. */
export function methodIn(first: Uint8Array, isWhole: boolean): HeadOfCall {
  const text = Buffer.from(first.buffer, first.byteOffset, Math.min(first.byteLength, headBytesMax)).toString('latin1');
  const [, declaration = '', method] = head.exec(text) ?? [];
  if (method === undefined) {
    if (!isWhole && first.byteLength < headBytesMax) return { needs: 'more' };
    return { unreadable: 'it does not begin with the name of its method' };
  }
  const encoding = /encoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1];
  return encoding === undefined || asciiLike.test(encoding)
    ? { method }
    : { unreadable: `its encoding ${encoding.replaceAll(/[^\w.-]/g, '?')} is not UTF-8` };
}

const bytes = { open: 0x3c, colon: 0x3a };
const ends: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2f, 0x3e]);
/** Longer than any name of an element in a call. */
const nameBytesMax = 256;

/**
 * Looks for the name of a method in a call that goes through in parts. A parser may take the last of several names, so
 * that a second one could be another method than the one that was judged.
 */
export class NamesOfMethods {
  #count = 0;
  /** The name of an element so far; undefined outside of one. */
  #name: number[] | undefined;

  /** Whether these bytes, after those before, name a method for the second time, or an element by a name of no end. */
  isTooMany(part: Uint8Array): boolean {
    let at = 0;
    while (at < part.length) {
      if (this.#name === undefined) {
        const found = part.indexOf(bytes.open, at);
        if (found === -1) return false;
        this.#name = [];
        at = found + 1;
        continue;
      }
      if (this.#isEnd(part[at] ?? 0, this.#name)) return true;
      at++;
    }
    return false;
  }

  #isEnd(byte: number, name: number[]): boolean {
    if (byte === bytes.open) {
      this.#name = [];
      return false;
    }
    if (!ends.has(byte)) return name.push(byte) > nameBytesMax;
    this.#name = undefined;
    const local = Buffer.from(name.slice(name.lastIndexOf(bytes.colon) + 1)).toString('latin1');
    if (local === 'methodName') this.#count++;
    return this.#count > 1;
  }
}
