import { type Bug, patch } from '../bug.ts';

/**
 * Mistakes in what operators order of a zone: that a node is replaced, that homes are kept, that nothing moves, that
 * nobody comes back.
 */
export const orderBugs: readonly Bug[] = [
  {
    name: 'an-heir-stands-in-two-places',
    breaks: 'a-replacement-takes-the-place',
    why: 'the index that it had before it took another one is left as it is',
    foundIn: { world: 'replaced', seed: 1 },
    patches: [patch('tookOver: { vacates: by.body.index },', 'tookOver: { vacates: undefined },')],
  },
  {
    name: 'an-heir-that-is-back-is-like-any-other',
    breaks: 'a-replacement-takes-the-place',
    why: 'a node that was lost has its home intact when it is back, whatever it was ordered before',
    foundIn: { world: 'heirs-are-held', seed: 3_000_010_298 },
    patches: [patch("if (next.status === 'up' && next.replaces !== undefined) return heirBack(next, now);", '')],
  },
  {
    name: 'an-heir-is-the-one-before',
    soonest: true,
    breaks: 'an-index-is-one-membership',
    why: 'the place is the same, and so are its clients',
    foundIn: { world: 'replaced', seed: 1 },
    patches: [patch('old.body.generation, by.body.generation) + 1;', 'old.body.generation, by.body.generation);')],
  },
  {
    name: 'who-joins-has-a-share-in-recovery',
    breaks: 'recovery-mode-keeps-homes',
    why: 'a machine that has joined may as well do something',
    foundIn: { world: 'recovering', seed: 1 },
    patches: [patch("shares: zone.head.mode === 'production',", 'shares: true,')],
  },
  {
    name: 'who-is-down-is-at-home-nowhere',
    breaks: 'recovery-mode-keeps-homes',
    why: 'a home is where a slot is now',
    foundIn: { world: 'recovering', seed: 1 },
    patches: [
      patch(
        'forgotten: (index) => codeOf(index) === standings.dropped || codeOf(index) === standings.none,',
        'forgotten: (index) => gone(codeOf(index)),',
      ),
    ],
  },
  {
    name: 'a-freeze-stops-expiry-alone',
    breaks: 'what-is-frozen-stays',
    why: 'whom an operator drains is to move, whatever he has said before',
    foundIn: { world: 'frozen', seed: 1 },
    patches: [patch("brakes.freeze === 'moves' || brakes.freeze === 'all';", "brakes.freeze === 'moves';")],
  },
  {
    name: 'who-asks-twice-is-let-in',
    breaks: 'who-needs-a-word-waits-for-it',
    why: 'a node that has asked is told from one that has not, and nobody looks whether it was answered',
    foundIn: { world: 'readmitted', seed: 1 },
    patches: [patch("if (node.readmission === 'asked') return", "if (node.readmission === 'given') return")],
  },
  {
    name: 'a-zone-is-taken-for-one-that-readmits',
    breaks: 'who-needs-a-word-waits-for-it',
    why: 'whether a word is needless is read the wrong way round from the zone',
    foundIn: { world: 'readmitted', seed: 1 },
    patches: [patch("if (head?.readmit !== 'auto') return node;", "if (head?.readmit === 'auto') return node;")],
  },
];
