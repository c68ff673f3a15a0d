/**
 * The most values of the documents of a client system that are searched, and the longest: an index in memory must not
 * grow by whatever somebody writes.
 */
export const metadataValuesMax = 500;
const valueMax = 256;
/** How deep objects and lists lie within each other at most; what lies deeper is left out. */
const depthMax = 8;
/** Steps that a query can name; whatever lies below another one is found by its kind alone. */
const stepForm = /^[\w/-]+$/;

/**
 * The values in documents by the fields that find them: `meta.<kind>.<path>`, where the values of a list are those of
 * its path, and `meta.<kind>`, which has all values of the document. Kinds come in their order, and what is over
 * {@link metadataValuesMax} is left out.
 */
export function metadataKeywords(documents: ReadonlyMap<string, unknown>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  const add = (field: string, value: string): void => {
    const values = found.get(field) ?? new Set();
    values.add(value);
    found.set(field, values);
  };
  let left = metadataValuesMax;
  for (const [kind, document] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const { path, value } of leavesOf(document, [], 0)) {
      if (left === 0) break;
      left -= 1;
      add(`meta.${kind}`, value);
      if (path.length > 0 && path.every((step) => stepForm.test(step))) add(`meta.${kind}.${path.join('.')}`, value);
    }
  return new Map([...found].map(([field, values]) => [field, [...values]]));
}

type Leaf = { readonly path: readonly string[]; readonly value: string };

/** Texts, numbers and truths of a value, with the names that lead to them. */
function* leavesOf(value: unknown, path: readonly string[], depth: number): Generator<Leaf> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const text = String(value);
    if (text !== '' && text.length <= valueMax) yield { path, value: text };
    return;
  }
  if (typeof value !== 'object' || value === null || depth === depthMax) return;
  if (Array.isArray(value)) for (const one of value) yield* leavesOf(one, path, depth + 1);
  else for (const [step, one] of Object.entries(value)) yield* leavesOf(one, [...path, step], depth + 1);
}
