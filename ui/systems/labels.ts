/** Tags and groups that a person has typed, parted by commas or spaces, each once. */
export const labelsIn = (text: string): readonly string[] => [...new Set(text.split(/[\s,]+/).filter((label) => label !== ''))];

/** A tag or group, and how many have it. */
export type Counted = { readonly label: string; readonly count: number };

/** Labels with how many have each, the most frequent first. */
export function counted(lists: Iterable<readonly string[]>): readonly Counted[] {
  const counts = new Map<string, number>();
  for (const list of lists) for (const label of list) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
}
