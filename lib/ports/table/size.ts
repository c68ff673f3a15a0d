import { clamp } from '../../core/time.ts';
import type { Attributes } from './attributes.ts';
import { isList, type Value } from './table.ts';

/**
 * The size of an item in bytes by DynamoDB's rules (developer guide, "DynamoDB item sizes and formats"): names and
 * strings in UTF-8, numbers as {@link numberSize}, bytes as they are, lists and maps 3 B and one more per element.
 */
export function itemSize(attributes: Attributes): number {
  let bytes = 0;
  for (const name in attributes) if (attributes[name] !== undefined) bytes += utf8Size(name) + valueSize(attributes[name]);
  return bytes;
}

function valueSize(value: Value): number {
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'number') return numberSize(value);
  if (typeof value === 'string') return utf8Size(value);
  if (value instanceof Uint8Array) return value.byteLength;
  let bytes = 3;
  if (isList(value)) for (const element of value) bytes += 1 + valueSize(element);
  else for (const [name, element] of Object.entries(value)) if (element !== undefined) bytes += 1 + utf8Size(name) + valueSize(element);
  return bytes;
}

const utf8Size = (text: string): number => Buffer.byteLength(text);

/**
 * One byte, one per two digits before the point and one per two behind it, without leading and trailing zeros, and one
 * more when negative. The guide says "approximately" one per two; this rule was measured at the service
 * (nubo-db/dynoxide #195).
 */
export function numberSize(value: number): number {
  if (Number.isSafeInteger(value)) return 1 + wholeSize(Math.abs(value)) + (value < 0 ? 1 : 0);
  const [mantissa, exponent] = Math.abs(value).toExponential().split('e') as [string, string];
  const digits = mantissa.replace('.', '').length;
  const before = clamp(Number(exponent) + 1, 0, digits);
  return 1 + Math.ceil(before / 2) + Math.ceil((digits - before) / 2) + (value < 0 ? 1 : 0);
}

/**
 * Bytes of the digits of a whole number: most numbers are whole, and their digits are counted faster than they are
 * written.
 */
function wholeSize(value: number): number {
  let rest = value;
  while (rest > 0 && rest % 10 === 0) rest /= 10;
  let pairs = 0;
  for (; rest > 0; rest = Math.floor(rest / 100)) pairs += 1;
  return pairs;
}

/** Units of one write: 1 per KB begun, twice that in a transaction. */
export const writeUnitsOf = (bytes: number, transactional: boolean): number =>
  Math.max(1, Math.ceil(bytes / 1024)) * (transactional ? 2 : 1);

/** Units of reading so many bytes: 1 per 4 KB begun when consistent, half that otherwise. */
export const readUnitsOf = (bytes: number, consistent: boolean): number => Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);
