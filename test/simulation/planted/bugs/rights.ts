import { type Bug, patch } from '../bug.ts';

const breaks = 'nobody-gets-more-than-their-key-allows';
const verify = 'lib/doors/verify-admin.ts';

/** Mistakes in what an API key is good for, for how long, and where. */
export const rightsBugs: readonly Bug[] = [
  {
    name: 'a-revoked-key-works-on',
    breaks,
    why: 'a stolen key works on until it expires',
    foundIn: { world: 'keys', seed: 9 },
    patches: [
      patch('lib/api-keys/api-key.ts', "revokedAt !== undefined ? 'revoked'", "revokedAt !== undefined && revokedAt > now ? 'revoked'"),
    ],
  },
  {
    name: 'a-key-never-ends',
    breaks,
    why: 'only a revocation ends a key; time to live removes its row some day',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch('lib/api-keys/api-key.ts', "expiresAt <= now ? 'expired' : 'valid'", "expiresAt <= 0 ? 'expired' : 'valid'")],
  },
  {
    name: 'whoever-is-known-may',
    breaks,
    why: 'the scope that a route asks for is not looked up',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch(verify, 'const zones = rights[scope] ?? [];', 'const zones = rights[scope] ?? rights.read ?? [];')],
  },
  {
    name: 'a-node-is-there-for-everybody',
    breaks,
    why: 'a node is found by its id, whoever asks',
    foundIn: { world: 'keys', seed: 1 },
    patches: [patch('lib/doors/admin/found.ts', 'if (!node || !seesZone(caller, node.zone))', 'if (!node)')],
  },
  {
    name: 'a-fingerprint-is-there-for-everybody',
    breaks,
    why: 'an order about a client system asks for its fingerprint alone',
    foundIn: { world: 'reached', seed: 12 },
    patches: [patch('lib/doors/admin/systems.ts', 'return client && seesSystem(caller, client) ? client : undefined;', 'return client;')],
  },
  {
    name: 'a-list-is-of-any-zone',
    breaks,
    why: 'a zone that was named is listed for whoever named it',
    foundIn: { world: 'keys', seed: 1 },
    patches: [
      patch(
        'lib/doors/admin/found.ts',
        'if (name !== defaultZone || !seesZone(caller, name)) await foundZone',
        'if (name !== defaultZone) await foundZone',
      ),
    ],
  },
];
