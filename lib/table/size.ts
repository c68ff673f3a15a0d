import type { Attributes } from './attributes.ts';
import { isList, type Value } from './table.ts';

/**
 * The size of an item in bytes by DynamoDB's rules (developer guide, "DynamoDB item sizes and formats"): names and strings in UTF-8,
 * numbers as {@link numberSize}, bytes as they are, lists and maps 3 B and one more per element.
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
 * One byte for the exponent, one per pair of digits and one for the sign when negative. Pairs are counted from the decimal point, as
 * in a base-100 number, without leading and trailing zero pairs: 12 is one pair, 1.5 and 123 are two. The guide says "approximately";
 * this is what emulators that were compared with the service charge, and the contract suite holds us to it.
 */
export function numberSize(value: number): number {
  if (value === 0) return 1;
  const [mantissa, exponent] = Math.abs(value).toExponential().split('e') as [string, string];
  const digits = mantissa.replace('.', '');
  // With the point behind an odd number of digits, the first pair holds one digit only.
  const single = Number(exponent) % 2 === 0 ? 1 : 0;
  return 1 + Math.ceil((digits.length + single) / 2) + (value < 0 ? 1 : 0);
}

/** Units of one write: 1 per KB begun, twice that in a transaction. */
export const writeUnitsOf = (bytes: number, transactional: boolean): number =>
  Math.max(1, Math.ceil(bytes / 1024)) * (transactional ? 2 : 1);

/** Units of reading so many bytes: 1 per 4 KB begun when consistent, half that otherwise. */
export const readUnitsOf = (bytes: number, consistent: boolean): number => Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);
