/** What a text in JSON says, of any shape; undefined for one that is none, or that is not there. */
export function jsonIn(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON whose objects have their fields in order, so that equal values are equal texts. */
export const canonicalJson = (value: unknown): string => JSON.stringify(inFieldOrder(value));

/** Whether two values are the same JSON, whatever the order of their fields. */
export const isSameJson = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** A value of JSON with the fields of all its objects in order. */
export function inFieldOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inFieldOrder);
  if (typeof value !== 'object' || value === null) return value;
  // Without a comparison of its own, a sort goes by code units, and is much faster.
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inFieldOrder(Reflect.get(value, name))]));
}

/** Compares texts by their code units: the same on every machine, whatever its language. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
