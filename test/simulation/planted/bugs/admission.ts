import { type Bug, patch } from '../bug.ts';

/** Mistakes in when clients that were moved are told their node, and for how long they are kept for the one before. */
export const admissionBugs: readonly Bug[] = [
  {
    name: 'a-turn-is-not-awaited',
    breaks: 'nobody-is-told-before-its-turn',
    why: 'whoever asks is told the owner of its slot, as soon as that is up',
    foundIn: { world: 'admitting', seed: 3 },
    patches: [patch('if (waitsFor(zone, placed, now) !== undefined) return told', 'if (placed.fp.length === 0) return told')],
  },
  {
    name: 'every-queue-begins-anew',
    breaks: 'turns-keep-the-rate',
    why: 'all slots that a plan moves begin at its moment, whoever waits there already',
    foundIn: { world: 'admitting', seed: 1 },
    patches: [patch('at: laterOf(now, ends.get(owner)),', 'at: now,')],
  },
  {
    name: 'a-ceiling-is-not-minded',
    breaks: 'rates-keep-their-bounds',
    why: 'a rate is decided within the ceiling, and one that is lowered later counts from the next decision on',
    foundIn: { world: 'adapting', seed: 1 },
    patches: [patch('const every = Math.max(everyMs, atMostEveryMs);', 'const every = everyMs;')],
  },
  {
    name: 'a-rate-of-its-own-is-overruled',
    breaks: 'rates-keep-their-bounds',
    why: 'what a node bears is known better than what an operator has set',
    foundIn: { world: 'adapting', seed: 1 },
    patches: [patch('admitEveryMs === undefined && kind !==', 'kind !==')],
  },
  {
    name: 'nobody-is-kept',
    breaks: 'kept-clients-do-not-move',
    why: 'a node that is down loses its slots at once, though each of its clients has to be admitted elsewhere',
    foundIn: { world: 'admitting', seed: 1 },
    patches: [patch('const usualKeepMs = 10 * minuteMs;', 'const usualKeepMs = minuteMs / 60;')],
  },
];
