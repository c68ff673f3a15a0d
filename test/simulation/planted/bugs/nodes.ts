import { type Bug, patch } from '../bug.ts';

/** Mistakes in what reports, orders and time mean for one node. */
export const nodeBugs: readonly Bug[] = [
  {
    name: 'heartbeats-in-any-order',
    breaks: 'node-numbers-never-go-back',
    why: 'a queue repeats and reorders, and an older heartbeat is taken after a younger one',
    foundIn: { world: 'late', seed: 3 },
    patches: [patch('if (heartbeat.seq !== undefined && heartbeat.seq <= node.seq)', 'if (false)')],
  },
  {
    name: 'a-boot-is-no-incarnation',
    soonest: true,
    breaks: 'node-numbers-never-go-back',
    why: 'another boot is acknowledged under the number of the one before',
    foundIn: { world: 'late', seed: 3 },
    patches: [patch('incarnation: node.incarnation + 1,', 'incarnation: Math.max(1, node.incarnation),')],
  },
  {
    name: 'who-is-back-is-who-was',
    breaks: 'node-numbers-never-go-back',
    why: 'a node that was given up joins as new with the generation it had',
    foundIn: { world: 'late', seed: 3 },
    patches: [patch('generation: node.generation + 1,', 'generation: node.generation,')],
  },
  {
    name: 'a-dropped-node-need-not-flush',
    breaks: 'doors-know-who-is-a-member',
    why: 'the door has asked for it, so that decide need not',
    foundIn: { world: 'weather', seed: 2 },
    patches: [
      patch('if (up.data.flushed !== node.generation)', 'if (false)'),
      patch("if (node.status === 'dropped' && body.flushed !== node.generation) throw mustRejoin(node);", ''),
    ],
  },
  {
    name: 'a-report-from-before-the-drop-readmits',
    breaks: 'who-was-dropped-returns-flushed',
    why: 'a node-up that waited in the queue while its node was given up says nothing about flushing',
    foundIn: { world: 'rushed', seed: 5 },
    patches: [
      patch('if (up.data.flushed !== node.generation)', 'if (up.data.flushed !== undefined && up.data.flushed !== node.generation)'),
    ],
  },
  {
    name: 'a-node-up-brings-back-from-down',
    breaks: 'nodes-move-along-their-moves',
    why: 'a node that was heard is up, although its slots are elsewhere',
    foundIn: { world: 'weather', seed: 1 },
    patches: [patch('write<Node, never>(returning(node, base),', "write<Node, never>({ ...base, status: 'up', awaitsPlan: true },")],
  },
  {
    name: 'who-returns-as-new-keeps-its-index',
    breaks: 'an-index-is-one-membership',
    why: 'tokens of the old membership name the new one',
    foundIn: { world: 'weather', seed: 2 },
    patches: [
      patch(
        'const { index: _given, flap: _before, ...rest } = { ...lasting(node), ...booted(node, up) };',
        'const rest = { ...lasting(node), ...booted(node, up) };',
      ),
    ],
  },
  {
    name: 'a-boot-forgets-the-index',
    breaks: 'an-index-is-one-membership',
    why: 'one field more is taken away than the status has',
    foundIn: { world: 'busy', seed: 3 },
    patches: [
      patch(
        'readmission, ...rest } = others;',
        'readmission, index: _forgotten, ...rest } = others as typeof others & { index?: number };',
      ),
    ],
  },
  {
    name: 'what-the-plan-has-to-see-is-forgotten',
    breaks: 'roster-and-rows-agree',
    why: 'a heartbeat or a boot takes away that the plan has not followed yet',
    foundIn: { world: 'weather', seed: 1 },
    patches: [
      patch('  ...(node.awaitsPlan && { awaitsPlan: true }),\n});', '});'),
      patch('const { missed: _before, ...rest } = node;', 'const { missed: _before, awaitsPlan: _gone, ...rest } = node;'),
    ],
  },
  {
    name: 'a-quarantine-is-for-ever',
    breaks: 'everyone-is-up-at-the-end',
    why: 'an operator who has looked cannot lift it',
    foundIn: { world: 'pair', seed: 2 },
    patches: [patch("if (node.status !== 'leaving' && node.status !== 'quarantined')", "if (node.status !== 'leaving')")],
  },
  {
    name: 'a-joining-node-is-down-at-once',
    breaks: 'nodes-move-along-their-moves',
    why: 'it has no clients yet, and so is not worth a suspicion: but only its zone may say that a node is down',
    foundIn: { world: 'rushed', seed: 4 },
    patches: [
      patch(
        "const next: Node = {\n    ...lasting(node),\n    status: 'suspect',",
        "const next: Node = {\n    ...lasting(node),\n    status: node.status === 'joining' ? ('down' as 'suspect') : 'suspect',",
      ),
    ],
  },
  {
    name: 'two-machines-are-one',
    breaks: 'a-copied-key-is-found-out',
    why: 'a machine may restart as often as it likes',
    foundIn: { world: 'pair', seed: 1 },
    patches: [patch('boot?.before === id && !isUnderWay(boot, at) &&', 'boot?.before === id && at < 0 &&')],
  },
  {
    name: 'the-boot-before-is-always-on-its-way',
    breaks: 'a-copied-key-is-found-out',
    why: 'what an earlier boot says was said before',
    foundIn: { world: 'pair', seed: 2 },
    patches: [patch('at <= plusMs(boot.receivedAt, underWayMs);', 'plusMs(boot.receivedAt, underWayMs) > 0 && at > 0;')],
  },
  {
    name: 'every-reboot-is-a-clone',
    breaks: 'only-a-clone-is-quarantined',
    why: 'another boot than the acknowledged one is another machine',
    foundIn: { world: 'pair', seed: 1 },
    patches: [
      patch('if (known && known.before === up.data.boot.id)', 'if (known && known.id !== up.data.boot.id)'),
      patch('isSecondMachine(node, up.data.boot.id, up.receivedAt)) return', 'up.receivedAt > 0) return'),
    ],
  },
  {
    name: 'an-older-boot-is-a-new-one',
    breaks: 'replay-changes-nothing',
    why: 'a node-up that is handed out again is a boot not seen before',
    foundIn: { world: 'away', seed: 2 },
    patches: [
      patch('if (boot && up.receivedAt <= boot.receivedAt)', 'if (false)'),
      patch('if (heardAt !== undefined && up.receivedAt < heardAt)', 'if (false)'),
      patch('if (leaseUntilOf(up) <= now)', 'if (false)'),
    ],
  },
  {
    name: 'a-boot-ends-a-drain',
    breaks: 'a-reboot-changes-nothing-else',
    why: 'a node that drains and is restarted takes clients again',
    foundIn: { world: 'pair', seed: 2 },
    patches: [patch("if (node.leaving.mode === 'drain')", 'if (false)')],
  },
  {
    name: 'the-agent-keeps-its-first-generation',
    breaks: 'agents-know-what-they-are',
    why: 'it joins as new, and goes on as what it was',
    foundIn: { world: 'weather', seed: 2 },
    patches: [
      patch(
        "phase: 'member', incarnation, generation, seq,",
        "phase: 'member', incarnation, generation: state.generation || generation, seq,",
      ),
      // A heartbeat would tell it otherwise.
      patch(
        'intervalMs: nextMs,\n    quarantined: false,\n    generation,',
        'intervalMs: nextMs,\n    quarantined: false,\n    generation: state.generation || generation,',
      ),
    ],
  },
  {
    name: 'who-recovers-tells-nobody',
    breaks: 'events-say-what-happened',
    why: 'automation that heard of the loss waits for ever',
    foundIn: { world: 'weather', seed: 1 },
    patches: [patch("      concluded('node.recovered', next, { from: 'down' }),\n", '')],
  },
];
