import { type Bug, patch } from '../bug.ts';

const breaks = 'adoption-moves-nobody';

/** Mistakes in how the systems of a server become client systems. */
export const adoptionBugs: readonly Bug[] = [
  {
    name: 'a-dry-run-adopts',
    breaks,
    why: 'a plan says what would become of each system, and only a commit does it',
    foundIn: { world: 'servers-adopted', seed: 4 },
    patches: [patch('duplicates, dryRun };', 'duplicates };')],
  },
  {
    name: 'systems-are-counted-once-more',
    breaks,
    why: 'an agent goes on behind the last one that was taken, and offers none twice',
    foundIn: { world: 'servers-adopted', seed: 1 },
    patches: [
      patch(
        'const rest = report.systems.filter(({ minion }) => minion > after);',
        "const rest = after === '' ? report.systems : report.systems;",
      ),
    ],
  },
  {
    name: 'whoever-introduces-itself-goes-where-its-slot-is',
    breaks,
    why: 'the pin was that of another key',
    foundIn: { world: 'servers-adopted', seed: 2 },
    patches: [patch('const { metadata, ...had } = of;', 'const { metadata, pin: _pin, ...had } = of;')],
  },
];
