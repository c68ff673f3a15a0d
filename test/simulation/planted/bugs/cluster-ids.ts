import { type Bug, patch } from '../bug.ts';

const breaks = 'a-cluster-id-is-for-life';

/** Mistakes in how client systems get their cluster ids, and keep them. */
export const clusterIdBugs: readonly Bug[] = [
  {
    name: 'a-machine-installed-anew-is-numbered-anew',
    breaks,
    why: 'it has another key, and each key that is accepted is given an id',
    foundIn: { world: 'namesakes', seed: 1 },
    patches: [patch('accepted.clusterId ?? (await newId())', '(await newId())')],
  },
  {
    name: 'an-id-finds-the-key-of-the-minion',
    breaks,
    why: 'the row of that key leads on to the daemon',
    foundIn: { world: 'servers-adopted', seed: 2 },
    patches: [patch('      ...(await inheritedId(reading, adopted.clusterId, who.fp)),\n', '')],
  },
  {
    name: 'every-server-keeps-its-ids',
    breaks,
    why: 'an id that nobody else has is free',
    foundIn: { world: 'servers-adopted', seed: 4 },
    patches: [patch('own < firstId && (given?.server ?? server) === server;', 'own < firstId;')],
  },
  {
    name: 'a-ban-gives-an-id-back',
    breaks,
    why: 'nobody asks for a machine that is banned',
    foundIn: { world: 'busy', seed: 1 },
    patches: [
      patch('  ...(clusterId !== undefined && { clusterId }),\n  ...(metadata && { metadata }),', '  ...(metadata && { metadata }),'),
    ],
  },
  {
    name: 'an-id-is-noted-later',
    breaks,
    why: 'the row of the client system has its id',
    foundIn: { world: 'calm', seed: 1 },
    patches: [patch('[givenId(id, client.fp), ...changes(rows, next)]', 'changes(rows, next)')],
  },
  {
    name: 'a-token-gives-no-id',
    breaks,
    why: 'a machine that was accepted without an id gets one when it knocks again',
    foundIn: { world: 'tokens', seed: 1 },
    patches: [patch('groups, clusterId: await newId() } }', 'groups } }')],
  },
];
