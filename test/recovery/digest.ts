import { createHash } from 'node:crypto';

/**
 * The first 12 hex digits of a document's SHA-256, whatever the order of its names: enough to tell two apart in a
 * table.
 */
export const digestOf = (document: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(ordered(document)))
    .digest('hex')
    .slice(0, 12);

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, ordered(inner)]),
  );
}
