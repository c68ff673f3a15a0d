/** Controls (Cc), format characters that reorder or hide what stands beside them (Cf), and line separators (Zl, Zp). */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text that a machine sent, made harmless to a terminal: what is not printable is shown by its code, so that no name can move the cursor or hide itself. */
export const printable = (text: string): string => text.replace(unprintable, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
