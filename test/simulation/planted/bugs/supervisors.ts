import { type Bug, patch } from '../bug.ts';

/** Mistakes about who watches what. */
export const supervisorBugs: readonly Bug[] = [
  {
    name: 'a-supervisor-watches-itself',
    breaks: 'each-is-watched-by-one-supervisor',
    why: 'whoever has the least to do can have one more',
    foundIn: { world: 'watching', seed: 1 },
    patches: [patch('if (node !== of && (found', 'if ((found')],
  },
  {
    name: 'a-set-outlives-its-supervisor',
    breaks: 'each-is-watched-by-one-supervisor',
    why: 'what is planned says who watches from now on, and whoever does not is not in it',
    foundIn: { world: 'watching', seed: 1 },
    patches: [patch('ended: before.filter(({ node }) => !there.has(node))', 'ended: before.filter(({ node }) => !node)')],
  },
  {
    name: 'the-first-supervisor-is-nobodys-news',
    breaks: 'services-are-watched-at-the-end',
    why: 'who watches what is looked at when that has changed, and nothing was watched before',
    foundIn: { world: 'watching', seed: 1 },
    patches: [
      patch('  return [{ ref: supervisionRef(zone), decide }];', '  return decide ? [] : [{ ref: supervisionRef(zone), decide }];'),
    ],
  },
  {
    name: 'who-misses-nobody-has-nothing-to-say',
    breaks: 'nobody-healthy-is-missed-at-the-end',
    why: 'a supervisor says whom it misses, and the rule has nothing to do for whoever is heard again',
    foundIn: { world: 'missing', seed: 2 },
    patches: [
      patch('if (this.#said?.key === key && !isOld) return;', 'if (missed.length === 0 || (this.#said?.key === key && !isOld)) return;'),
    ],
  },
  {
    name: 'any-supervisor-is-believed',
    breaks: 'only-who-watches-is-believed',
    why: 'a supervisor asks only those that it was told to watch',
    foundIn: { world: 'missing', seed: 2 },
    patches: [patch('if (!isIn(set, one.node) || (one', 'if ((one')],
  },
  {
    name: 'who-was-checked-once-is-asked-no-more',
    breaks: 'whoever-is-missed-is-asked',
    why: 'a service that has answered a check is known to answer',
    foundIn: { world: 'missing', seed: 2 },
    patches: [patch('|| service.results.some((one) => one.ask === ask)', "|| service.results.some(({ what }) => what === 'check')")],
  },
  {
    name: 'a-supervisor-has-said-it-all',
    breaks: 'a-supervisor-says-whom-it-misses',
    why: 'whom it misses is said once, and whatever is said is not lost',
    foundIn: { world: 'missing', seed: 1 },
    patches: [patch('if (this.#said?.key === key && !isOld)', 'if (this.#said && !isOld)')],
  },
  {
    name: 'whoever-was-heard-once-is-missed',
    breaks: 'a-supervisor-says-whom-it-misses',
    why: 'how long somebody is missed counts from when it was first looked for',
    foundIn: { world: 'missing', seed: 1 },
    patches: [patch('(this.#rounds.heardAt(address) ?? this.#since.get(address) ?? now)', '(this.#since.get(address) ?? now)')],
  },
];
