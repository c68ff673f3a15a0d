import { type Bug, patch } from '../bug.ts';

/** Mistakes in where client systems are that an operator has pinned. */
export const pinBugs: readonly Bug[] = [
  {
    name: 'a-soft-pin-is-a-wish',
    breaks: 'a-pin-is-kept',
    why: 'who is pinned softly may be elsewhere, and its slot is where it is found at once',
    foundIn: { world: 'pinned', seed: 1 },
    patches: [patch('(soft && zone.pins.get(pin)?.awayAt !== undefined);', 'soft;')],
  },
  {
    name: 'whoever-is-let-go-goes-at-once',
    breaks: 'nobody-is-told-before-its-turn',
    why: 'a client that is pinned no more goes by its slot, and that has not moved',
    foundIn: { world: 'let-go', seed: 4 },
    patches: [patch('undefined : leftTurnOf(zone.pins, told.index, fp);', 'undefined : undefined;')],
  },
  {
    name: 'a-list-goes-by-slots-alone',
    breaks: 'a-node-knows-its-clients',
    why: 'a node is handed whoever is of its slots, and not those of other slots that are pinned to it',
    foundIn: { world: 'pinned', seed: 1 },
    patches: [patch('new Set([...bySlot, ...byPin])', 'new Set(bySlot)')],
  },
  {
    name: 'a-drain-leaves-soft-pins-unaware',
    breaks: 'whoever-loses-slots-is-told',
    why: 'a node is told of its slots, and whoever is pinned to it may be of any other',
    foundIn: { world: 'emptied', seed: 4 },
    patches: [patch('new Set(letGo.filter(mustNotify))', 'new Set<number>([])')],
  },
];
