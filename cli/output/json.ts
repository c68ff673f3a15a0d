/** A value as indented JSON and a line end; characters that some terminals obey are escaped, which means the same to every parser. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replace(/[\u007f-\u009f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
