import { nameOf } from '../../../lib/ports/table/table.ts';
import type { Invariant } from './invariant.ts';

/** Whoever writes a row has read what it writes over, and nobody writes over the same twice. */
export const chain: Invariant = {
  name: 'rows-are-chains',
  says: 'the versions of a row are a chain without forks, each computed from the one before',
  begin: ({ violated }) => {
    // Of a row every version that was read since it was written last: a reading that may be late can bring an older one
    // than the reading before.
    const read = new Map<string, Map<string, Set<number>>>();
    const of = (by: string): Map<string, Set<number>> => {
      const known = read.get(by) ?? new Map<string, Set<number>>();
      read.set(by, known);
      return known;
    };
    return {
      read: (by, key, row) => {
        const [name, known] = [nameOf(key), of(by)];
        const revs = known.get(name);
        if (revs) revs.add(row?.rev ?? 0);
        else known.set(name, new Set([row?.rev ?? 0]));
      },
      heedsMarks: true,
      committed: (changes) => {
        for (const { by, before, after } of changes) {
          const name = nameOf(after.key);
          const rev = before?.rev ?? 0;
          if (after.rev !== rev + 1) violated(`${name} went from rev ${rev} to ${after.rev}`);
          if (rev > 0 && !of(by).get(name)?.has(rev))
            violated(`${by} wrote ${name} over rev ${rev}, and had read ${[...(of(by).get(name) ?? ['nothing'])].at(-1)}`);
          of(by).set(name, new Set([after.rev]));
        }
      },
    };
  },
};
