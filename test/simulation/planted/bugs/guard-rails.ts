import { type Bug, patch } from '../bug.ts';

/** Mistakes in what keeps a zone from giving up nodes that live, each in a world in which it matters. */
export const guardRailBugs: readonly Bug[] = [
  {
    name: 'one-network-is-believed',
    breaks: 'nobody-is-missed-within-a-lease',
    why: 'three clients are three clients, wherever they are: whoever has many keys brings a node down',
    foundIn: { world: 'witnessed', seed: 1 },
    patches: [
      patch('export const networksNeeded = 2;', 'export const networksNeeded = 1;'),
      patch('export const missesPerNetwork = 2;', 'export const missesPerNetwork = 8;'),
    ],
  },
  {
    name: 'a-part-is-given-up',
    breaks: 'a-part-or-a-rack-that-falls-silent-is-held',
    why: 'less than half of a zone is no outage',
    foundIn: { world: 'partly', seed: 1 },
    patches: [
      patch(
        'silent.length >= limits.partNodes && silent.length >= limits.partShare',
        'silent.length >= limits.partNodes && silent.length >= 5 * limits.partShare',
      ),
    ],
  },
  {
    name: 'a-rack-of-two-is-no-rack',
    breaks: 'a-part-or-a-rack-that-falls-silent-is-held',
    why: 'two nodes may well die for themselves',
    foundIn: { world: 'racked', seed: 3 },
    patches: [patch('if (members.length < 2 ||', 'if (members.length < 3 ||')],
  },
  {
    name: 'only-moves-are-damped',
    breaks: 'a-disrupted-zone-orphans-nobody',
    why: 'the slots of a lost node have moved, and so have its clients',
    foundIn: { world: 'partly', seed: 1 },
    patches: [patch('!(isDisrupted(head) && isAway(zone, placed, told))', '!(isDisrupted(head) && isAway(zone, placed, told) && now < 0)')],
  },
  {
    name: 'who-comes-and-goes-may-go-on',
    breaks: 'who-comes-and-goes-is-quarantined',
    why: 'each return is the first',
    foundIn: { world: 'flapping', seed: 1 },
    patches: [patch('(flapScore(flap, now) + 1)', '(0 * flapScore(flap, now) + 1)')],
  },
  {
    name: 'a-freeze-stops-moves-alone',
    breaks: 'what-is-frozen-stays',
    why: 'a node that is silent is lost, whatever an operator has said',
    foundIn: { world: 'frozen', seed: 1 },
    patches: [patch("brakes.freeze === 'expiry' || brakes.freeze === 'all';", "brakes.freeze === 'expiry';")],
  },
];
