import { isPlainKey } from './flow.ts';
import { resolved } from './scalar.ts';

/**
 * A value of JSON as plain YAML, with a line end: mappings and lists by indentation, lists of plain values on one line.
 */
export function writeText(value: unknown): string {
  const lines: string[] = [];
  if (isFilled(value)) write(lines, value, '', '');
  else lines.push(inline(value));
  return `${lines.join('\n')}\n`;
}

/** A mapping or list that is not empty. */
const isFilled = (value: unknown): value is object => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
const isOneLine = (value: unknown): boolean => !isFilled(value) || (Array.isArray(value) && !value.some(isFilled));

/** `lead` comes before the first line: the dash of the item that it is. */
function write(lines: string[], value: object, indent: string, lead: string): void {
  let before = lead || indent;
  for (const [key, entry] of given(value)) {
    const start = Array.isArray(value) ? '-' : `${isPlainKey(key) ? key : inQuotes(key)}:`;
    if (isOneLine(entry)) lines.push(`${before}${start} ${inline(entry)}`);
    else if (Array.isArray(value)) write(lines, entry as object, `${indent}  `, `${before}- `);
    else {
      lines.push(`${before}${start}`);
      write(lines, entry as object, `${indent}  `, '');
    }
    before = indent;
  }
}

const given = (value: object): [string, unknown][] => Object.entries(value).filter(([, entry]) => entry !== undefined);

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value === 'string') return text(value);
  return typeof value === 'object' && value !== null ? '{}' : JSON.stringify(value);
}

/** Without quotes where every reader of YAML, also of version 1.1, takes it for a string. */
const text = (value: string): string =>
  /^[A-Za-z/_][\w./@+-]*$/.test(value) && typeof resolved(value) === 'string' && !/^(y|n|yes|no|on|off|null|true|false)$/i.test(value)
    ? value
    : inQuotes(value);

const inQuotes = (value: string): string =>
  JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
