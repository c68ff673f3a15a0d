/**
 * Characters that some terminals obey, or that reorder or hide the text beside them; JSON itself escapes those below a
 * space, but for the line feeds between its lines.
 */
const obeyed = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A value as indented JSON and a line end; unprintable characters are escaped, which means the same to every parser.
 */
export const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2).replace(obeyed, escaped)}\n`;

/** A character by the code of each of its UTF-16 units. */
const escaped = (char: string): string =>
  Array.from({ length: char.length }, (_, n) => `\\u${char.charCodeAt(n).toString(16).padStart(4, '0')}`).join('');
