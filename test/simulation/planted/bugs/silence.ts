import { type Bug, patch } from '../bug.ts';

const breaks = 'who-is-called-silent-is-silent';

/** Mistakes in which client systems are called silent. */
export const silenceBugs: readonly Bug[] = [
  {
    name: 'who-is-seen-is-called-silent',
    breaks,
    why: 'whom the last digest misses by chance the one before has shown',
    foundIn: { world: 'unpowered', seed: 1 },
    patches: [patch('without(row.seen, bits, before.bits)', 'row.seen')],
  },
  {
    name: 'a-call-ends-no-silence',
    breaks,
    why: 'the next digest ends it anyway, if its node sees it',
    foundIn: { world: 'unpowered', seed: 1 },
    patches: [patch('return { ...heard, seenAt: now };', 'return { ...client, seenAt: now };')],
  },
  {
    name: 'a-node-that-loses-sight-is-believed',
    breaks,
    why: 'a hundred machines are called silent because a cable was pulled at their node',
    foundIn: { world: 'unpowered', seed: 2 },
    patches: [patch('const isHeld = since !== undefined && at - since < heldForMs;', 'const isHeld = false;')],
  },
  {
    name: 'nobody-is-told-that-it-is-heard-again',
    breaks,
    why: 'automation that was told that a machine is silent never hears that it is back',
    foundIn: { world: 'unpowered', seed: 3 },
    patches: [patch(", ...listing('client.heard', { ...about, by: 'node' }, heard)];", '];')],
  },
  {
    name: 'silence-never-ends',
    breaks,
    why: 'the record of a client system that is back stays',
    foundIn: { world: 'unpowered', seed: 3 },
    patches: [
      patch(
        'const returned = records.filter(({ place }) => has(bits, place)).map(({ entry }) => entry);',
        'const returned: string[] = [];',
      ),
    ],
  },
  {
    name: 'a-place-is-in-any-list',
    breaks,
    why: 'the list that a digest is over is stored',
    foundIn: { world: 'unlisted', seed: 3000040112 },
    patches: [patch('page?.version === undefined || page.version === version ? page : undefined', 'page')],
  },
];
