/**
 * Text that a machine sent, made harmless to a terminal and to readers of a log: each character that does not print
 * becomes its code, so that no name can move the cursor, reorder a line or hide itself. These are controls (Cc, with
 * those of C1), format characters (Cf), and separators of lines and paragraphs (Zl, Zp).
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);

/** A replacer for JSON.stringify that makes every text printable: for lines of a log. */
export const printableValue = (_key: string, value: unknown): unknown => (typeof value === 'string' ? printable(value) : value);
