import { type Bug, patch } from '../bug.ts';

const plan = 'lib/zones/plan.ts';
const place = 'lib/zones/place.ts';
const follow = 'lib/zones/follow.ts';
const stored = 'lib/zones/stored.ts';

/** Mistakes in what a zone does about its nodes and slots. */
export const zoneBugs: readonly Bug[] = [
  {
    name: 'who-drains-keeps-its-slots',
    breaks: 'slots-have-owners-who-serve',
    why: 'only who is gone gives them up',
    patches: [
      patch(
        plan,
        'leaves: (index) => gone(codeOf(index)) || codeOf(index) === standings.draining,',
        'leaves: (index) => gone(codeOf(index)),',
      ),
    ],
  },
  {
    name: 'who-is-down-keeps-its-slots',
    breaks: 'slots-have-owners-who-serve',
    why: 'it may come back',
    patches: [
      patch(
        'lib/zones/standing.ts',
        'code === standings.none || code === standings.down || code === standings.dropped;',
        'code === standings.none || code === standings.dropped;',
      ),
    ],
  },
  {
    name: 'who-joins-takes-slots',
    breaks: 'slots-have-owners-who-serve',
    why: 'a node gets its share before it has said that it is ready',
    patches: [
      patch(
        'lib/zones/standing.ts',
        'export const admits = (code: number): boolean => code === standings.up;',
        'export const admits = (code: number): boolean => code === standings.up || code === standings.joining;',
      ),
    ],
  },
  {
    name: 'weights-are-equal',
    breaks: 'slots-are-shared-by-weight',
    why: 'a node of weight 2 takes as much as one of weight 1',
    patches: [patch(plan, '(admits(codeOf(index)) ? weightOf(index) : 0)', '(admits(codeOf(index)) ? 1 : 0)')],
  },
  {
    name: 'who-joins-takes-too-much',
    breaks: 'slots-are-shared-by-weight',
    why: 'the fair share is that of the nodes before',
    patches: [
      patch(
        place,
        'const isShort = this.#load[taker]! + this.#slot / 2 < fair * this.#p.weights[taker]!;',
        'const isShort = this.#load[taker]! + this.#slot / 2 < 1.6 * fair * this.#p.weights[taker]!;',
      ),
      patch(place, '<= this.#ratio(donor));', '<= 4 * this.#ratio(donor));'),
    ],
  },
  {
    name: 'the-first-node-takes-all',
    breaks: 'slots-are-shared-by-weight',
    why: 'what a lost node leaves goes to the first that may take it',
    patches: [patch(place, '(least === -1 || this.#ratio(index) < this.#ratio(least))) least = index;', 'least === -1) least = index;')],
  },
  {
    name: 'everyone-who-returns-is-new',
    breaks: 'a-plan-moves-what-it-may',
    why: 'a reboot moves clients of others',
    patches: [
      patch(
        plan,
        "const isNewcomer = ({ before }: Followee): boolean => before === 'none' || before === 'joining';",
        'const isNewcomer = (_one: Followee): boolean => true;',
      ),
      patch(place, '!this.#returned.has(index));', 'true);'),
    ],
  },
  {
    name: 'every-plan-deals-anew',
    breaks: 'a-plan-moves-what-it-may',
    why: 'the map is as even as can be after every plan, and everybody moves',
    patches: [
      patch(
        place,
        'const owed = new Set([...joining, ...bare]);',
        'const owed = new Set([...joining, ...bare, ...this.#p.weights.flatMap((weight, index) => (weight > 0 && index % 2 === 0 ? [index] : []))]);',
      ),
      patch(
        place,
        'const isShort = this.#load[taker]! + this.#slot / 2 < fair',
        'const isShort = this.#load[taker]! + this.#slot / 2 < 1.2 * fair',
      ),
      patch(place, '<= this.#ratio(donor));', '<= 2 * this.#ratio(donor));'),
    ],
  },
  {
    name: 'the-roster-keeps-the-generation',
    breaks: 'roster-and-rows-agree',
    why: 'clients of the new membership are told that they are elsewhere',
    patches: [
      patch(
        plan,
        "  followed.node.does === 'write' ? followed.node.next.generation : node.generation;",
        '  Math.min(1, node.generation) + 0 * (followed.node.does.length);',
      ),
    ],
  },
  {
    name: 'a-loss-is-written-before-the-roster',
    breaks: 'roster-and-rows-agree',
    why: 'the head is left as it was when no slot moves',
    patches: [patch(plan, 'const changed = rosterMoved || moves.length > 0', 'const changed = moves.length > 0')],
  },
  {
    name: 'who-comes-back-comes-back-as-new',
    breaks: 'node-numbers-never-go-back',
    why: 'a reboot is a new membership, and orphans every client',
    patches: [
      patch(
        follow,
        'const base = { ...lasting(node), leaseUntil };',
        'const base = { ...lasting(node), leaseUntil, generation: node.generation + 1 };',
      ),
    ],
  },
  {
    name: 'a-late-return-is-up',
    breaks: 'nodes-move-along-their-moves',
    why: 'whoever was dropped is brought back by the plan',
    patches: [
      patch(
        follow,
        "    case 'absent':\n    case 'waiting':\n    case 'dropped':\n      return {",
        "    case 'dropped':\n      if (node.heardAt !== undefined && now - node.heardAt < 40 * 60_000 && !node.planned) return { standing: 'up', node: write<Node, never>({ ...lasting(node), status: 'up', leaseUntil: plusMs(now, 60_000) }, because), why: '' };\n    case 'absent':\n    case 'waiting':\n      return {",
      ),
    ],
  },
  {
    name: 'a-delta-lacks-a-slot',
    breaks: 'slots-have-owners-who-serve',
    why: 'the last move of a delta is cut off',
    patches: [
      patch(
        stored,
        'const part = moves.slice(n * movesPerDelta, (n + 1) * movesPerDelta);',
        'const part = moves.slice(n * movesPerDelta, (n + 1) * movesPerDelta - 1).slice(0, -1);',
      ),
    ],
  },
];
