import type { Row } from '../../../../lib/ports/table/table.ts';
import type { HistoryEntry } from '../../../../lib/runtime/on-feed.ts';
import type { Invariant } from '../invariant.ts';
import { expectedOf } from './published.ts';

/** Whoever missed an event finds it in the history of its row. */
export const history: Invariant = {
  name: 'history-keeps-every-event',
  says: 'every committed event is in the history of its row in the end, once and as it was committed, and nothing else is',
  begin: ({ violated }) => {
    const awaited = new Map<string, string>();
    const entryOf = (row: Row): string => {
      const { seq, type, at, because, by, data } = row.body as HistoryEntry;
      return JSON.stringify({ seq, type, at, because, by, data });
    };
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const { before, after } of changes) {
          for (const { id, eventseq: seq, type, data } of expectedOf(after)) {
            const { at, because, by } = after;
            awaited.set(id, JSON.stringify({ seq, type, at, because, by, data }));
          }
          if (!after.key.pk.startsWith('history#')) continue;
          const of = decodeURIComponent(after.key.pk.slice('history#'.length)).replace(':', '/');
          const name = `${of}#${Number(after.key.sk)}`;
          if (before) violated(`the history of ${name} was written over`);
          if (awaited.get(name) !== entryOf(after)) violated(`${name} is kept as\n  ${entryOf(after)}\nand was\n  ${awaited.get(name)}`);
          awaited.delete(name);
        }
      },
      unrest: () => [...awaited.keys()].map((name) => `${name} is not in the history`),
    };
  },
};
