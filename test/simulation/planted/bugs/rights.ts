import { type Bug, patch } from '../bug.ts';

const breaks = 'nobody-gets-more-than-their-key-allows';

/** Mistakes in what an API key is good for, for how long, and where. */
export const rightsBugs: readonly Bug[] = [
  {
    name: 'a-revoked-key-works-on',
    breaks,
    why: 'a stolen key works on until it expires',
    foundIn: { world: 'keys', seed: 9 },
    patches: [patch("revokedAt !== undefined ? 'revoked'", "revokedAt !== undefined && revokedAt > now ? 'revoked'")],
  },
  {
    name: 'a-key-never-ends',
    breaks,
    why: 'only a revocation ends a key; time to live removes its row some day',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch("'revoked' : expiresAt <= now ? 'expired'", "'revoked' : expiresAt <= 0 ? 'expired'")],
  },
  {
    name: 'whoever-is-known-may',
    breaks,
    why: 'the scope that a route asks for is not looked up',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch('const zones = rights[scope] ?? [];', 'const zones = rights[scope] ?? rights.read ?? [];')],
  },
  {
    name: 'a-node-is-there-for-everybody',
    breaks,
    why: 'a node is found by its id, whoever asks',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch('if (!found || !seesZone(caller, found.node.zone))', 'if (!found)')],
  },
  {
    name: 'a-fingerprint-is-there-for-everybody',
    breaks,
    why: 'an order about a client system asks for its fingerprint alone',
    foundIn: { world: 'reached', seed: 12 },
    patches: [
      patch('  return client && seesSystem(caller, client) ? client : undefined;\n}', '  return client;\n}'),
      patch('zoneNameOf(client) === zone && isSeen(client);', 'zoneNameOf(client) === zone;'),
    ],
  },
  {
    name: 'who-waits-is-there-for-everybody',
    soonest: true,
    breaks,
    why: 'a machine in the pool is of no zone yet, so it is anybody’s',
    foundIn: { world: 'waiting', seed: 7 },
    patches: [
      patch(
        'export const seesSystem = (caller: AdminCaller, { zone }: Client): boolean => seesZone(caller, zone);',
        "export const seesSystem = (caller: AdminCaller, { standing, zone }: Client): boolean => standing === 'pooled' || seesZone(caller, zone);",
      ),
    ],
  },
  {
    name: 'a-host-that-waits-is-for-any-zone',
    breaks,
    why: 'a host that nobody has admitted may be taken into a zone by whoever operates that',
    foundIn: { world: 'waiting', seed: 2 },
    patches: [patch('seesZone(caller, zoneOfHost(host));', "host.standing !== 'admitted' || seesZone(caller, zoneOfHost(host));")],
  },
  {
    name: 'a-list-is-of-any-zone',
    breaks,
    why: 'a zone that was named is listed for whoever named it',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch('if (name !== defaultZone || !seesZone(caller, name)) await foundZone', 'if (name !== defaultZone) await foundZone')],
  },
  {
    name: 'an-operator-has-commands-run',
    breaks,
    why: 'starting a service is an operator’s work, whatever it is configured by',
    foundIn: { world: 'keys', seed: 1 },
    patches: [
      patch("if (!takesCommand(type) || holdsIn(rights, 'execute', zone)) return;", "if (holdsIn(rights, 'operate', zone)) return;"),
    ],
  },
  {
    name: 'what-was-made-lives-on',
    breaks: 'what-was-revoked-with-all-it-made-opens-nothing',
    why: 'a key is revoked with what lists show of what was made with it, and what they do not show yet is forgotten',
    foundIn: { world: 'keys', seed: 1 },
    patches: [
      patch('if (await hasEndedWithMaker(shell, lineageOf(key), key.createdAt)) return false;', ''),
      patch(
        'if (!dryRun) for (const { end } of made) await end(shell, request.id);',
        'if (!dryRun) for (const { end } of made.slice(made.length)) await end(shell, request.id);',
      ),
    ],
  },
];
