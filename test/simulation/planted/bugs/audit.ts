import { type Bug, patch } from '../bug.ts';

const breaks = 'what-people-do-is-audited';

/** Mistakes in who a change is put down to, and in the record of that. */
export const auditBugs: readonly Bug[] = [
  {
    name: 'a-command-is-nobodys',
    breaks,
    why: 'who called is not handed to the commit of one row',
    foundIn: { world: 'ordered', seed: 2 },
    patches: [patch('at: now, exact, actor: shell.actor }', 'at: now, exact }')],
  },
  {
    name: 'a-zone-is-forgotten',
    breaks,
    why: 'only what is of no zone gets into the audit',
    foundIn: { world: 'calm', seed: 1 },
    patches: [
      patch(
        'for (const { name, rows } of chains.values())',
        'for (const { name, rows } of [...chains.values()].filter((one) => one.name.zone === noZone))',
      ),
    ],
  },
  {
    name: 'what-follows-is-somebodys',
    breaks,
    why: 'what a plan makes of an order is put down to whoever gave the order',
    foundIn: { world: 'busy', seed: 1 },
    patches: [
      patch(
        '    ...(actor && { actor }),\n    events: decision',
        '    ...((actor ?? row?.actor) && { actor: (actor ?? row?.actor)! }),\n    events: decision',
      ),
    ],
  },
  {
    name: 'the-audit-is-written-in-passing',
    breaks,
    why: 'the feed goes on whether or not the audit could be written',
    foundIn: { world: 'storm', seed: 1 },
    patches: [patch('await keepAudit(shell, images);', 'await keepAudit(shell, images).catch(() => undefined);')],
  },
  {
    name: 'a-repeat-is-a-second-deed',
    breaks,
    why: 'an image that the feed hands over again is another one to the audit',
    foundIn: { world: 'late', seed: 2 },
    patches: [patch('[markId(whatOf(row), row.at), row]', '[markId(whatOf(row), shell.now()), row]')],
  },
  {
    name: 'a-hash-is-of-the-entry-alone',
    soonest: true,
    breaks,
    why: 'a chain whose hashes do not hold together can be cut anywhere',
    foundIn: { world: 'calm', seed: 1 },
    patches: [patch('const hash = hashOf(head.hash, numbered, key);', "const hash = hashOf('', numbered, key);")],
  },
  {
    name: 'a-revocation-is-what-no-call-changes',
    breaks: 'the-audit-verifies',
    why: 'a key is for ever what it was when it was made',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch("'api-key': ['revokedAt', 'withMade']", "'api-key': []")],
  },
  {
    name: 'an-import-is-somebodys-doing',
    soonest: true,
    breaks: 'the-audit-verifies',
    why: 'the head of a zone that comes back an epoch on is not as anybody left it',
    foundIn: { world: 'restored', seed: 1 },
    patches: [patch("if (noun !== 'zone' || typeof epoch !== 'number' || !Number.isSafeInteger(epoch)) return false;", 'return false;')],
  },
  {
    name: 'a-use-is-a-change-of-the-key',
    breaks: 'the-audit-verifies',
    why: 'whatever is written of a key was done to it',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch("= { 'api-key': ['lastUsedAt'] };", "= { 'api-key': [] };")],
  },
];
