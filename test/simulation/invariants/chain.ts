import { nameOf } from '../../../lib/table/table.ts';
import type { Invariant } from './invariant.ts';

/** Whoever writes a row has read what it writes over, and nobody writes over the same twice. */
export const chain: Invariant = {
  name: 'rows-are-chains',
  says: 'the versions of a row are a chain without forks, each computed from the one before',
  begin: ({ violated }) => {
    const read = new Map<string, Map<string, number>>();
    const of = (by: string): Map<string, number> => {
      const known = read.get(by) ?? new Map<string, number>();
      read.set(by, known);
      return known;
    };
    return {
      read: (by, key, row) => void of(by).set(nameOf(key), row?.rev ?? 0),
      committed: (changes) => {
        for (const { by, before, after } of changes) {
          const name = nameOf(after.key);
          const rev = before?.rev ?? 0;
          if (after.rev !== rev + 1) violated(`${name} went from rev ${rev} to ${after.rev}`);
          if (rev > 0 && of(by).get(name) !== rev)
            violated(`${by} wrote ${name} over rev ${rev}, and had read ${of(by).get(name) ?? 'nothing'}`);
          of(by).set(name, after.rev);
        }
      },
    };
  },
};
