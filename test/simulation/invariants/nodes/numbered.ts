import type { Invariant } from '../invariant.ts';

/** Whoever hears events can tell from their numbers what is missing. */
export const numbered: Invariant = {
  name: 'events-are-numbered-without-holes',
  says: "each commit goes on with its row's event numbers exactly where the commit before ended",
  begin: ({ violated }) => ({
    heedsMarks: true,
    committed: (changes) => {
      for (const { before, after } of changes) {
        const last = before?.eventSeq ?? 0;
        const name = `${after.key.pk}|${after.key.sk}`;
        if (after.eventSeq !== last + after.events.length)
          violated(`${name} went from event ${last} to ${after.eventSeq} with ${after.events.length} events`);
        for (const [n, { seq, type }] of after.events.entries())
          if (seq !== last + n + 1) violated(`${type} of ${name} is event ${seq}, not ${last + n + 1}`);
      }
    },
  }),
};
