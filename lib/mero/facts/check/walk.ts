import type { Path } from '../../../core/defect.ts';

/** A mapping in a file that may be wrong anywhere, and its path. */
export type Part = { readonly value: Readonly<Record<string, unknown>>; readonly path: Path };

/** A mapping, or an empty one in the place of anything else, which the schema reports. */
export const part = (value: unknown, path: Path): Part => ({
  value: typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {},
  path,
});

/** The mappings of a list under a key; none if there is no list. */
export function items({ value, path }: Part, key: string): Part[] {
  const list = value[key];
  return Array.isArray(list) ? list.map((item, n) => part(item, [...path, key, n])) : [];
}

/** The mapping under a key. */
export const under = ({ value, path }: Part, key: string): Part => part(value[key], [...path, key]);

/** A text, or a number as one, under a key. */
export function text({ value }: Part, key: string): string | undefined {
  const found = value[key];
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

/** A name of a host, in which capitals mean nothing. */
export const host = (one: Part, key: string): string | undefined => text(one, key)?.toLowerCase();
