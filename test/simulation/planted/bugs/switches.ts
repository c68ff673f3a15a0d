import { type Bug, patch } from '../bug.ts';

const breaks = 'what-is-switched-off-is-not-answered';

/** Mistakes in what a switch is worth. */
export const switchBugs: readonly Bug[] = [
  {
    name: 'a-switch-is-for-show',
    breaks,
    why: 'the setting is stored and shown, and no door asks for it',
    foundIn: { world: 'switched', seed: 1 },
    patches: [patch('?.openCalls !== false) return;', '?.openCalls !== undefined) return;')],
  },
  {
    name: 'unsigned-is-as-good',
    soonest: true,
    breaks,
    why: 'a zone that allowed unsigned clients once is taken to allow them still',
    foundIn: { world: 'switched', seed: 1 },
    patches: [patch('?.unsignedZones ?? []).length > 0)', '?.unsignedZones ?? []).length >= 0)')],
  },
];
