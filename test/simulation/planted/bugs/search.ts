import { type Bug, patch } from '../bug.ts';

/** Mistakes in searches, and in how they follow what changes. */
export const searchBugs: readonly Bug[] = [
  {
    name: 'who-leaves-a-part-is-found-there',
    soonest: true,
    breaks: 'a-search-finds-what-the-rows-say',
    why: 'a key that is accepted is put into its new zone, and nobody thinks of where it waited',
    foundIn: { world: 'calm', seed: 1 },
    patches: [
      patch(
        'if (part !== own && index.holds(fp)) index.remove(fp, row.rev);',
        'if (part !== own && own === undefined) index.remove(fp, row.rev);',
      ),
    ],
  },
  {
    name: 'a-search-reads-one-page-of-the-journal',
    breaks: 'a-search-finds-what-the-rows-say',
    why: 'so many rows never come between two searches',
    foundIn: { world: 'wandering', seed: 6 },
    patches: [patch('places.set(part, { n: last.n, at: last.at });', 'places.set(part, { n: upTo, at: last.at }); return true;')],
  },
  {
    name: 'a-new-journal-is-not-followed',
    breaks: 'a-search-finds-what-the-rows-say',
    why: 'the journals are known since the rows were read',
    foundIn: { world: 'calm', seed: 1 },
    patches: [patch('for (const part of await journalParts(shell)) if (!known.places.has(part)) known.places.set(part, beginning);', '')],
  },
  {
    name: 'a-stored-index-is-taken-for-the-present',
    breaks: 'a-search-finds-what-the-rows-say',
    why: 'an index is stored after every search, so that nothing can have come since',
    foundIn: { world: 'calm', seed: 1 },
    patches: [
      patch(
        'places: new Map(index.places), asOf: index.asOf };',
        'places: new Map(await endsOf(shell, [...index.places.keys()])), asOf: index.asOf };',
      ),
    ],
  },
  {
    name: 'a-stored-index-forgets-who-is-gone',
    breaks: 'a-search-finds-what-the-rows-say',
    why: 'a segment without documents finds nobody, so that none has to be stored',
    foundIn: { world: 'begun-anew', seed: 12 },
    patches: [
      patch(
        'for (const segment of segments) of.push(await stored(segment));',
        'for (const segment of segments) if (segment.size > 0) of.push(await stored(segment));',
      ),
    ],
  },
  {
    name: 'what-was-known-weeks-ago-is-followed-from',
    breaks: 'a-search-finds-what-the-rows-say',
    why: 'a journal without an end has had no rows for so long that all of them are known',
    foundIn: { world: 'weeks-apart', seed: 9_402_171 },
    patches: [patch('now - asOf >= endForMs - dayMs;', 'now - asOf < 0;')],
  },
  {
    name: 'a-search-counts-who-waits-for-no-zone',
    breaks: 'a-search-counts-no-hidden-zone',
    why: 'who asks for no zone is of no zone that could be hidden',
    foundIn: { world: 'busy', seed: 2 },
    patches: [
      patch('(part === partOfNoZone ? isEverywhere(caller) : seesZone(caller, part))', '(part === partOfNoZone || seesZone(caller, part))'),
    ],
  },
];
