import { createHash } from 'node:crypto';
import fc from 'fast-check';

/**
 * Something else than a text, which may look much like it: a character of it changed, left out, put in, repeated, in
 * the other case, or two of them swapped.
 */
export const changed = (text: string): fc.Arbitrary<string> =>
  fc
    .record({
      how: fc.constantFrom('replace', 'remove', 'insert', 'repeat', 'case', 'swap', 'append', 'prepend'),
      at: fc.nat({ max: Math.max(0, text.length - 1) }),
      unit: fc.oneof(fc.constantFrom(...' \t\n\r\0;,="():/?&%#\\'), fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 })),
    })
    .map(({ how, at, unit }) => {
      const [before, one, after] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)];
      switch (how) {
        case 'replace':
          return before + unit + after;
        case 'remove':
          return before + after;
        case 'insert':
          return before + unit + one + after;
        case 'repeat':
          return before + one + one + after;
        case 'case':
          return before + (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase()) + after;
        case 'swap':
          return before + after.slice(0, 1) + one + after.slice(1);
        case 'append':
          return text + unit;
        default:
          return unit + text;
      }
    })
    .filter((now) => now !== text);

/**
 * Something else than a secret of ours: changed as any text, or in a letter of its id or secret, with the check digits
 * that then belong to it.
 */
export const changedSecret = (text: string): fc.Arbitrary<string> => fc.oneof(changed(text), withoutATypo(text));

const withoutATypo = (text: string): fc.Arbitrary<string> =>
  fc
    .record({
      at: fc.integer({ min: 'mak_'.length, max: text.length - '_123456'.length - 1 }).filter((at) => text[at] !== '_'),
      letter: fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'),
    })
    .map(({ at, letter }) => {
      const body = `${text.slice(0, at)}${letter}${text.slice(at + 1, -'_123456'.length)}`;
      return `${body}_${createHash('sha256').update(body, 'utf8').digest('hex').slice(0, 6)}`;
    })
    .filter((now) => now !== text);
