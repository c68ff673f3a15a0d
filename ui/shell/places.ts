import type { Place } from '../router.tsx';

/** How many places are remembered, with the one that is open. */
const recentMax = 7;

/** What tells places apart: their path, and what they list. What is picked there is not another place. */
export const keyOf = ({ path, search: { q = '', zone = '' } }: Place): string => `${path} ${zone} ${q}`;

/**
 * The places where a person was, the newest first, once another one is opened. A query that goes on with the one before
 * is that query, still being typed.
 */
export function visited(before: readonly Place[], now: Place): readonly Place[] {
  const [newest, ...older] = before;
  const others = newest !== undefined && isTyped(newest, now) ? older : before;
  return [now, ...others.filter((one) => keyOf(one) !== keyOf(now))].slice(0, recentMax);
}

function isTyped({ path, search: { q: before } }: Place, { path: now, search: { q } }: Place): boolean {
  return path === now && before !== undefined && q !== undefined && (q.startsWith(before) || before.startsWith(q));
}

/** The places of a text that {@link visited} was written as; none where it is of another form. */
export function placesIn(text: string | null): readonly Place[] {
  try {
    const places: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(places) ? places.filter(isPlace) : [];
  } catch {
    // Somebody, or an older page, has written something else there: it is written anew with the next place.
    return [];
  }
}

const isPlace = (one: unknown): one is Place =>
  typeof one === 'object' &&
  one !== null &&
  'path' in one &&
  typeof one.path === 'string' &&
  'search' in one &&
  typeof one.search === 'object' &&
  one.search !== null;
