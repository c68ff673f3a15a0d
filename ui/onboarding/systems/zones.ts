/** What may ask for a zone. */
export type Asking = { readonly zone?: string | undefined };

/** Where those go that ask for no zone. */
const defaultZone = 'default';

/** What the picked ones ask for, in words: `as they ask: emea 8, default 4`. */
export function askedText(items: readonly Asking[]): string {
  const by = [...Map.groupBy(items, ({ zone = defaultZone }) => zone)].sort(([, a], [, b]) => b.length - a.length);
  if (by.length === 0) return 'the zone that each asks for';
  if (by.length === 1) return `${by[0]![0]}, as asked`;
  return `as each asks: ${by.map(([zone, { length }]) => `${zone} ${length}`).join(', ')}`;
}
