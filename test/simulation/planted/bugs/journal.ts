import { type Bug, patch } from '../bug.ts';

/** Mistakes in the journal, and in how it is read. */
export const journalBugs: readonly Bug[] = [
  {
    name: 'the-journal-takes-repeats',
    soonest: true,
    breaks: 'the-journal-has-every-event-once',
    why: 'an event that is handed over again is left out of the history alone',
    foundIn: { world: 'late', seed: 1 },
    patches: [
      patch('const fresh = entries.filter((_, i) => known[i] === undefined);', 'const fresh = entries;'),
      patch('...fresh.map(({ ref, history })', '...fresh.filter((_, i) => known[i] === undefined).map(({ ref, history })'),
    ],
  },
  {
    name: 'the-journal-forgets-who-says-nothing',
    breaks: 'the-journal-has-every-event-once',
    why: 'a client system whose row changes without an event is of no interest to anybody',
    foundIn: { world: 'calm', seed: 1 },
    patches: [patch('if (system !== undefined && entries.length === 0)', 'if (false)')],
  },
  {
    name: 'a-batch-is-of-the-zone-of-its-first-row',
    breaks: 'the-journal-has-every-event-once',
    why: 'rows that are handed over together are taken for rows of one zone',
    foundIn: { world: 'calm', seed: 2 },
    patches: [
      patch(
        'for (const { subject, part, entries, system } of additions) {',
        'for (const { subject, entries, system } of additions) { const { part } = additions[0]!;',
      ),
    ],
  },
  {
    name: 'a-page-forgets-what-it-did-not-hold',
    soonest: true,
    breaks: 'a-page-of-changes-neither-repeats-nor-loses',
    why: 'a row counts as read once one of its events fits on the page',
    foundIn: { world: 'calm', seed: 1 },
    patches: [patch('places.set(part, { n: row.n - 1, k: skip + i });', 'places.set(part, { n: row.n, k: 0 });')],
  },
  {
    name: 'a-page-begins-its-row-again',
    breaks: 'a-page-of-changes-neither-repeats-nor-loses',
    why: 'the cursor knows the row, and not how much of it was on the page',
    foundIn: { world: 'calm', seed: 1 },
    patches: [patch('skip: i === 0 ? from.k : 0,', 'skip: 0,')],
  },
];
