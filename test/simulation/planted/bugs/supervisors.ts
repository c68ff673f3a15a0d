import { type Bug, patch } from '../bug.ts';

/** Mistakes about who watches what. */
export const supervisorBugs: readonly Bug[] = [
  {
    name: 'a-supervisor-watches-itself',
    breaks: 'each-is-watched-by-one-supervisor',
    why: 'whoever has the least to do can have one more',
    foundIn: { world: 'watching', seed: 1 },
    patches: [patch('lib/services/supervision.ts', 'if (node !== of && (found', 'if ((found')],
  },
  {
    name: 'a-set-outlives-its-supervisor',
    breaks: 'each-is-watched-by-one-supervisor',
    why: 'what is planned says who watches from now on, and whoever does not is not in it',
    foundIn: { world: 'watching', seed: 1 },
    patches: [
      patch(
        'lib/services/watch-set.ts',
        'ended: before.filter(({ node }) => !there.has(node))',
        'ended: before.filter(({ node }) => !node)',
      ),
    ],
  },
  {
    name: 'the-first-supervisor-is-nobodys-news',
    breaks: 'services-are-watched-at-the-end',
    why: 'who watches what is looked at when that has changed, and nothing was watched before',
    foundIn: { world: 'watching', seed: 1 },
    patches: [
      patch(
        'lib/services/rows.ts',
        '  return [{ ref: supervisionRef(zone), decide }];',
        '  return decide ? [] : [{ ref: supervisionRef(zone), decide }];',
      ),
    ],
  },
];
