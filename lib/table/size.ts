import type { Attributes } from './attributes.ts';
import type { Value } from './table.ts';

/**
 * The size of an item in bytes by DynamoDB's rules (developer guide, "DynamoDB item sizes and formats"): names and strings in UTF-8,
 * numbers about one byte per two digits and one more, bytes as they are, lists and maps 3 B and one more per element.
 */
export const itemSize = (attributes: Attributes): number => {
  let bytes = 0;
  for (const [name, value] of Object.entries(attributes)) bytes += Buffer.byteLength(name) + valueSize(value);
  return bytes;
};

function valueSize(value: Value | undefined): number {
  if (value === undefined) return 0;
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'number') return numberSize(value);
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.byteLength;
  let bytes = 3;
  if (Array.isArray(value)) for (const element of value) bytes += 1 + valueSize(element);
  else
    for (const [name, element] of Object.entries(value))
      if (element !== undefined) bytes += 1 + Buffer.byteLength(name) + valueSize(element as Value);
  return bytes;
}

/** About one byte per two significant digits, one for the exponent, one more when negative; 21 at most. */
function numberSize(value: number): number {
  const digits = Math.abs(value).toExponential().split('e')[0]!.replace('.', '').replace(/0+$/, '').length;
  return Math.min(21, Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0));
}

/** Units of one write: 1 per KB begun, twice that in a transaction. */
export const writeUnitsOf = (bytes: number, transactional: boolean): number =>
  Math.max(1, Math.ceil(bytes / 1024)) * (transactional ? 2 : 1);

/** Units of reading so many bytes: 1 per 4 KB begun when consistent, half that otherwise. */
export const readUnitsOf = (bytes: number, consistent: boolean): number => Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);
