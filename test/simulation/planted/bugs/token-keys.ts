import { type Bug, patch } from '../bug.ts';

/** Mistakes in how environments learn of another key. */
export const tokenKeyBugs: readonly Bug[] = [
  {
    name: 'a-new-key-signs-at-once',
    breaks: 'a-replaced-key-goes-unnoticed',
    why: 'an environment that has not heard of the key yet turns its tokens away',
    foundIn: { world: 'rekeyed', seed: 1 },
    patches: [
      patch('now - madeAt >= signsAfterMs) return current;', 'now - madeAt >= 0) return current;'),
      patch('?? (await ring.within(unknownAgainMs)).all.get(id)', ''),
    ],
  },
  {
    name: 'the-key-before-is-gone',
    breaks: 'a-replaced-key-goes-unnoticed',
    why: 'a key that is replaced is taken for one that was stolen',
    foundIn: { world: 'rekeyed', seed: 1 },
    patches: [patch('new Map([before, current].map', 'new Map([current].map')],
  },
  {
    name: 'no-key-is-ever-forgotten',
    breaks: 'tokens-say-what-the-row-says',
    why: 'a key that is retired still verifies, in case somebody needs it',
    foundIn: { world: 'rekeyed', seed: 2 },
    patches: [patch('new Map([before, current].map', 'new Map([...ring.all.values(), current].map')],
  },
];
