import { numberAt } from '../segment/numbers.ts';
import type { SearchIndex } from '../segment/search-index.ts';
import type { Segment } from '../segment/segment.ts';
import { placing } from '../systems/document.ts';

/** So much that nobody finds is never too much. */
const harmless = 10_000;

/**
 * Whether an index remembers more of what is gone than of what is there: removals, and machines that waited until they
 * were forgotten. Only an index that is read anew from rows is without them.
 */
export function isOvergrown(indexes: readonly SearchIndex[], now: number): boolean {
  let [gone, there] = [0, 0];
  for (const index of indexes) {
    const segments = index.whole();
    const over = segments.reduce((sum, segment) => sum + overIn(segment, now), 0);
    gone += segments.reduce((sum, { removals }) => sum + removals.versions.length, over);
    there += Math.max(0, index.size - over);
  }
  return gone > harmless + there;
}

/** The documents of a segment whose rows have ended by themselves. */
function overIn({ numbers, size }: Segment, now: number): number {
  const ends = numbers.get(placing.ends);
  let count = 0;
  for (let ordinal = 0; ends && ordinal < size; ordinal++) {
    const at = numberAt(ends, ordinal);
    if (at !== undefined && at <= now) count += 1;
  }
  return count;
}
