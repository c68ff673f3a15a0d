import { type Bug, patch } from '../bug.ts';

const up = 'lib/nodes/on-up.ts';
const beat = 'lib/nodes/on-heartbeat.ts';
const node = 'lib/nodes/node.ts';
const command = 'lib/nodes/on-command.ts';
const tick = 'lib/nodes/on-tick.ts';

/** Mistakes in what reports, orders and time mean for one node. */
export const nodeBugs: readonly Bug[] = [
  {
    name: 'heartbeats-in-any-order',
    breaks: 'node-numbers-never-go-back',
    why: 'a queue repeats and reorders, and an older heartbeat is taken after a younger one',
    patches: [patch(beat, 'if (beat.seq !== undefined && beat.seq <= node.seq)', 'if (false)')],
  },
  {
    name: 'a-boot-is-no-incarnation',
    breaks: 'node-numbers-never-go-back',
    why: 'another boot is acknowledged under the number of the one before',
    patches: [patch(up, 'incarnation: node.incarnation + 1,', 'incarnation: Math.max(1, node.incarnation),')],
  },
  {
    name: 'who-is-back-is-who-was',
    breaks: 'node-numbers-never-go-back',
    why: 'a node that was given up joins as new with the generation it had',
    patches: [patch(up, 'generation: node.generation + 1,', 'generation: node.generation,')],
  },
  {
    name: 'a-dropped-node-need-not-flush',
    breaks: 'who-was-dropped-returns-flushed',
    why: 'the door has asked for it, so that decide need not',
    patches: [
      patch(up, 'if (up.data.flushed !== node.generation)', 'if (false)'),
      patch('lib/doors/nodes.ts', "if (node.status === 'dropped' && body.flushed !== node.generation) throw mustRejoin(node);", ''),
    ],
  },
  {
    name: 'a-report-from-before-the-drop-readmits',
    breaks: 'who-was-dropped-returns-flushed',
    why: 'a node-up that waited in the queue while its node was given up says nothing about flushing',
    patches: [
      patch(up, 'if (up.data.flushed !== node.generation)', 'if (up.data.flushed !== undefined && up.data.flushed !== node.generation)'),
    ],
  },
  {
    name: 'a-heartbeat-brings-back-from-down',
    breaks: 'nodes-move-along-their-moves',
    why: 'heard is heard: only the plan may bring a node back from down',
    patches: [
      patch(beat, "    case 'down':\n    case 'dropped':", "    case 'dropped':"),
      patch(
        beat,
        "    case 'suspect':\n      return recover(node, beat);",
        "    case 'down':\n    case 'suspect':\n      return recover(node as any, beat);",
      ),
      patch(
        'lib/doors/nodes.ts',
        "if (node.status === 'absent' || node.status === 'waiting' || node.status === 'down')",
        "if (node.status === 'absent' || node.status === 'waiting')",
      ),
    ],
  },
  {
    name: 'a-node-up-brings-back-from-down',
    breaks: 'nodes-move-along-their-moves',
    why: 'a node that was heard is up, although its slots are elsewhere',
    patches: [patch(up, 'write<Node, never>(returning(node, base),', "write<Node, never>({ ...base, status: 'up', awaitsPlan: true },")],
  },
  {
    name: 'who-returns-as-new-keeps-its-index',
    breaks: 'an-index-is-one-membership',
    why: 'tokens of the old membership name the new one',
    patches: [
      patch(
        up,
        'const { index: _given, ...rest } = { ...lasting(node), ...booted(node, up) };',
        'const rest = { ...lasting(node), ...booted(node, up) };',
      ),
    ],
  },
  {
    name: 'a-boot-forgets-the-index',
    breaks: 'an-index-is-one-membership',
    why: 'one field is missing from those that last',
    patches: [patch(node, '    ...(index !== undefined && { index }),\n', '')],
  },
  {
    name: 'what-the-plan-has-to-see-is-forgotten',
    breaks: 'roster-and-rows-agree',
    why: 'a heartbeat or a boot takes away that the plan has not followed yet',
    patches: [
      patch(node, '  ...(node.awaitsPlan && { awaitsPlan: true }),\n});', '});'),
      patch(
        beat,
        'const next = { ...node, ...heard(node, beat) };',
        'const { awaitsPlan: _gone, ...rest } = node; const next = { ...rest, ...heard(node, beat) } as Node;',
      ),
    ],
  },
  {
    name: 'nobody-waits-for-the-plan',
    breaks: 'roster-and-rows-agree',
    why: 'a suspect is up again without the roster following',
    patches: [patch(node, 'const next = { ...base, ...pending(node), awaitsPlan: true as const };', 'const next = { ...base };')],
  },
  {
    name: 'a-new-boot-counts-its-heartbeats-on',
    breaks: 'everyone-is-up-at-the-end',
    why: 'the agent counts from 1 again, and is not heard until it has caught up',
    patches: [patch(up, '    seq: 0,\n', '    seq: node.seq + 1_000_000,\n')],
  },
  {
    name: 'a-quarantine-is-for-ever',
    breaks: 'everyone-is-up-at-the-end',
    why: 'an operator keeps it, and of the two boots that took turns both are remembered',
    patches: [patch(command, "if (node.status !== 'leaving' && node.status !== 'quarantined')", "if (node.status !== 'leaving')")],
  },
  {
    name: 'a-second-boot-is-no-clone-until-it-is-unready',
    breaks: 'nodes-move-along-their-moves',
    why: 'whoever is kept is up, also one that never said that it is ready',
    patches: [
      patch(tick, 'was: node.status,', "was: node.status === 'joining' ? 'up' : node.status,"),
      patch(tick, "    status: 'suspect',", "    status: node.status === 'joining' ? ('down' as 'suspect') : 'suspect',"),
    ],
  },
];
