import { type Bug, patch } from '../bug.ts';

/** Mistakes in what a zone does about its nodes and slots. */
export const zoneBugs: readonly Bug[] = [
  {
    name: 'a-preview-plays-on-the-table-itself',
    breaks: 'a-preview-changes-nothing',
    why: 'whoever asks only reads',
    foundIn: { world: 'foreseen', seed: 1 },
    patches: [patch('table: overlayTable(table),', 'table: overlayTable(table) && table,')],
  },
  {
    name: 'an-overlay-hands-its-commits-on',
    breaks: 'a-preview-changes-nothing',
    why: 'a commit is a commit',
    foundIn: { world: 'foreseen', seed: 1 },
    patches: [
      patch(
        'export function overlayTable(under: Underlying): Table {',
        'export function overlayTable(under: Underlying & Partial<Table>): Table {\n  if (under.commit) return { ...under, meter: newMeter() } as Table;',
      ),
    ],
  },
  {
    name: 'plans-are-cut-by-nodes-alone',
    breaks: 'a-plan-that-cannot-be-committed-is-never-made',
    why: 'thirty nodes and thirty that are told have always fitted',
    foundIn: { world: 'cut', seed: 1 },
    patches: [patch('if (fill.rows <= 1 && fill.bytes <= 1) return', 'if (fill.bytes <= 1) return')],
  },
  {
    name: 'a-zone-goes-by-what-the-index-shows',
    breaks: 'no-zone-goes-with-somebody-in-it',
    why: 'a second is enough for any index',
    foundIn: { world: 'settled', seed: 1 },
    patches: [
      patch('const settled = found.flatMap((one) => one ?? []);', 'const settled = found.flatMap((one) => one ?? []).slice(0, 0);'),
    ],
  },
  {
    name: 'who-comes-into-a-zone-is-no-resident',
    breaks: 'no-zone-goes-with-somebody-in-it',
    why: 'its own row says where it belongs',
    foundIn: { world: 'settled', seed: 1 },
    patches: [patch('decision: row && !row.gone ? nothing', 'decision: zone > 0 || (row && !row.gone) ? nothing')],
  },
  {
    name: 'who-drains-keeps-its-slots',
    breaks: 'slots-have-owners-who-serve',
    why: 'only who is gone gives them up',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch(
        'leaves: (index) => (gone(codeOf(index)) && !keeps.has(index)) || codeOf(index) === standings.draining,',
        'leaves: (index) => gone(codeOf(index)) && !keeps.has(index),',
      ),
    ],
  },
  {
    name: 'who-is-down-keeps-its-slots',
    breaks: 'slots-have-owners-who-serve',
    why: 'it may come back',
    foundIn: { world: 'busy', seed: 1 },
    patches: [
      patch(
        'code === standings.none || code === standings.down || code === standings.dropped;',
        'code === standings.none || code === standings.dropped;',
      ),
    ],
  },
  {
    name: 'who-joins-takes-slots',
    breaks: 'slots-have-owners-who-serve',
    why: 'a node gets its share before it has said that it is ready',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch(
        'export const admits = (code: number): boolean => code === standings.up;',
        'export const admits = (code: number): boolean => code === standings.up || code === standings.joining;',
      ),
    ],
  },
  {
    name: 'weights-are-equal',
    breaks: 'slots-are-shared-by-weight',
    why: 'a node of weight 2 takes as much as one of weight 1',
    foundIn: { world: 'late', seed: 3 },
    patches: [patch('(admits(codeOf(index)) ? weightOf(index) : 0)', '(admits(codeOf(index)) ? 1 : 0)')],
  },
  {
    name: 'who-joins-takes-too-much',
    breaks: 'slots-are-shared-by-weight',
    why: 'the fair share is that of the nodes before',
    foundIn: { world: 'weather', seed: 2 },
    patches: [
      patch(
        'board.load(index) + board.slotLoad / 2 < fair * board.weight(index);',
        'board.load(index) + board.slotLoad / 2 < 1.6 * fair * board.weight(index);',
      ),
      patch(
        'const room = Math.min(board.ratio(donor) * board.weight(taker) - board.load(taker), board.room(taker));\n    if',
        'const room = Math.min(4 * board.ratio(donor) * board.weight(taker) - board.load(taker), board.room(taker));\n    if',
      ),
    ],
  },
  {
    name: 'survivors-take-everybody',
    breaks: 'no-node-is-filled-beyond-its-capacity',
    why: 'better a full node than none',
    foundIn: { world: 'full', seed: 1 },
    patches: [patch('if (this.fits(slot, top)) return top;', 'if (top >= 0) return top;')],
  },
  {
    name: 'the-first-node-takes-all',
    breaks: 'slots-are-shared-by-weight',
    why: 'what a lost node leaves goes to the first that may take it',
    foundIn: { world: 'weather', seed: 2 },
    patches: [patch('const taker = board.takerOf(slot, takers);', 'const taker = board.takers()[0];')],
  },
  {
    name: 'the-roster-keeps-the-generation',
    breaks: 'roster-and-rows-agree',
    why: 'clients of the new membership are told that they are elsewhere',
    foundIn: { world: 'late', seed: 3 },
    patches: [patch('withEntry(roster, index, standing, generation)', 'withEntry(roster, index, standing, Math.min(1, generation))')],
  },
  {
    name: 'a-loss-is-written-before-the-roster',
    breaks: 'roster-and-rows-agree',
    why: 'the head is left as it was when no slot moves',
    foundIn: { world: 'busy', seed: 3 },
    patches: [patch('[rosterMoved, moves.length', '[moves.length')],
  },
  {
    name: 'who-comes-back-comes-back-as-new',
    breaks: 'node-numbers-never-go-back',
    why: 'a reboot is a new membership, and orphans every client',
    foundIn: { world: 'weather', seed: 1 },
    patches: [
      patch(
        'const base = { ...lasting(node), flap, leaseUntil };',
        'const base = { ...lasting(node), flap, leaseUntil, generation: node.generation + 1 };',
      ),
    ],
  },
  {
    name: 'a-delta-lacks-a-slot',
    breaks: 'slots-have-owners-who-serve',
    why: 'the last move of a delta is cut off',
    foundIn: { world: 'away', seed: 3 },
    patches: [
      patch(
        'const part = moves.slice(n * movesPerDelta, (n + 1) * movesPerDelta);',
        'const part = moves.slice(n * movesPerDelta, (n + 1) * movesPerDelta - 1).slice(0, -1);',
      ),
    ],
  },
  {
    name: 'only-moves-make-a-version',
    breaks: 'zone-versions-tell-what-moved',
    why: 'a caller that was answered by the newer roster may be answered by the older one again',
    foundIn: { world: 'weather', seed: 1 },
    patches: [patch('zone.head.version + (changed ? ', 'zone.head.version + (moves.length > 0 ? ')],
  },
  {
    name: 'the-map-moves-without-its-version',
    breaks: 'zone-versions-tell-what-moved',
    why: 'whoever has the map keeps it',
    foundIn: { world: 'calm', seed: 3 },
    patches: [patch('...(moved && { mapVersion: version })', '...(moved && {})')],
  },
  {
    name: 'deltas-end-after-a-day',
    breaks: 'a-plan-moves-what-it-may',
    why: 'a zone whose sweep did not run for a day loses what had moved since its last page',
    foundIn: { world: 'away', seed: 1 },
    patches: [
      patch(
        `moves: encodeDelta(part) }, \`map version \${version}\`),`,
        `moves: encodeDelta(part) }, \`map version \${version}\`, { expiresAt: plusMs(now, dayMs) }),`,
      ),
    ],
  },
  {
    name: 'a-new-home-is-told-as-a-move',
    breaks: 'events-say-what-happened',
    why: 'slots whose owner stays are counted too',
    foundIn: { world: 'late', seed: 3 },
    patches: [patch('moves.filter((move) => move.from !== move.owner).length;', 'moves.length;')],
  },
  {
    name: 'a-page-forgets-who-is-at-home',
    breaks: 'pages-and-deltas-are-the-map',
    why: 'whoever was away for long comes back to nothing',
    foundIn: { world: 'away', seed: 1 },
    patches: [patch('cells: encodePage(zone.map, page)', 'cells: encodePage({ owner: zone.map.owner, home: zone.map.owner }, page)')],
  },
  {
    name: 'planned-moves-know-no-budget',
    breaks: 'moves-keep-within-budgets',
    why: 'whoever joins or drains moves all clients at once',
    foundIn: { world: 'moving', seed: 1 },
    patches: [patch('return fits && this.#moved < this.#allowance.moved ? true : this.#waits();', 'return fits;')],
  },
  {
    name: 'who-is-given-up-waits-for-a-budget',
    breaks: 'who-is-given-up-by-order-keeps-nothing',
    why: 'an order is carried out by the plan that drops the node, and slots are no part of that',
    foundIn: { world: 'given-up', seed: 1 },
    patches: [patch('.map(({ index }) => index)]);', '.map(({ index }) => index)].slice(0, 0));')],
  },
  {
    name: 'a-split-shifts-slots',
    breaks: 'zone-versions-tell-what-moved',
    why: 'a slot that is split reaches into the next one, and clients of two nodes change places',
    foundIn: { world: 'crowded', seed: 1 },
    patches: [patch('slot * parts, (slot + 1) * parts);', 'slot * parts + 1, (slot + 1) * parts + 1);')],
  },
  {
    name: 'balancing-never-rests',
    breaks: 'a-plan-moves-what-it-may',
    why: 'neither a wait nor a gap between where balancing starts and stops',
    foundIn: { world: 'strict', seed: 3 },
    patches: [
      patch('ratio > unevenAbove && spare > spareMin;', 'ratio > 1 && spare > 0;'),
      patch('if (board.ratio(donor) <= below * fair) return true;', 'if (board.ratio(donor) <= fair) return true;'),
      patch('plusMs(unevenSince, unevenForMs) <= now', 'plusMs(unevenSince, 1) <= now'),
    ],
  },
  {
    name: 'a-small-zone-stays-uneven',
    breaks: 'no-zone-is-too-small-to-be-even',
    why: 'chance makes a tenth of few, and no server notices',
    foundIn: { world: 'moving', seed: 1 },
    patches: [patch('spare > spareMin;', 'spare > 1_000 * spareMin;')],
  },
  {
    name: 'every-plan-evens-out',
    breaks: 'a-plan-moves-what-it-may',
    why: 'clients are moved although nobody has come or gone, for a map that is a little more even',
    foundIn: { world: 'strict', seed: 3 },
    patches: [
      patch(
        'const owed = new Set([...joining, ...bare].filter(isShort));',
        'const owed = new Set([...joining, ...bare, ...takers.filter((index) => index % 2 === 0)]);',
      ),
    ],
  },
  {
    name: 'every-list-is-of-the-first-zone',
    breaks: 'nothing-crosses-zones',
    why: 'there was one zone when the list was written',
    foundIn: { world: 'apart', seed: 4 },
    patches: [patch('where.partition(zone.head.name, partition)', "where.partition('default', partition)")],
  },
  {
    name: 'a-key-is-accepted-by-its-slot-alone',
    breaks: 'nothing-crosses-zones',
    why: 'each zone has a node that owns the slot',
    foundIn: { world: 'apart', seed: 4 },
    patches: [patch("  if (client.zone !== node.zone) return { verdict: 'not-yours' };\n", '')],
  },
  {
    name: 'a-node-is-shown-in-each-of-its-lives',
    breaks: 'a-node-is-shown-once',
    why: 'whoever is in the roster is shown',
    foundIn: { world: 'strict', seed: 1 },
    patches: [patch('some.filter((one) => one !== now)', 'some.filter((one) => one.index < 0 && one !== now)')],
  },
];
