/** Every value under this key, wherever it stands in a document. */
export function valuesOf(key: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((inner) => valuesOf(key, inner));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...valuesOf(key, inner)]);
}

/** What a JSON pointer of a document itself points to; undefined for nothing. */
export const resolvedIn = (document: unknown, ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce(
      (at: unknown, part) => (at as Record<string, unknown> | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
