import * as z from 'zod';
import { route } from '../../api/route.ts';
import { signatureProblems } from '../../api/signature-problems.ts';
import { Fingerprint, Fqdn, NodeId } from '../../core/ids.ts';

const id = z.strictObject({ id: NodeId });

/** The most keys that one call asks about: half of what a body may hold. */
export const keysAskedMax = 500;

/** Whether a key should be accepted on a node. */
const KeyVerdict = z.strictObject({
  verdict: z.enum(['accept', 'not-yours', 'unknown', 'banned']),
  /** The node that has it, if that is another one. */
  node: Fqdn.optional(),
  /** The fingerprint by which the node's list names this client system; the request may have used its other one. */
  fp: Fingerprint.optional(),
});
export type KeyVerdict = z.infer<typeof KeyVerdict>;

/** The client systems of a node, as its agent requests them. */
export const systemsRoutes = {
  systems: route({
    method: 'GET',
    path: '/nodes/{id}/systems',
    summary: 'The client systems of the node in fingerprint order, or the changes since a version that it has',
    scope: 'node',
    params: id,
    query: z.strictObject({
      since: z.coerce.number().int().nonnegative().optional(),
      /** Asks for the metadata revisions too. */
      revisions: z.literal('true').optional(),
    }),
    reply: z.strictObject({
      version: z.int().nonnegative(),
      /** Whether `systems` is the whole list, or only those added since. */
      whole: z.boolean(),
      systems: z.array(z.string()),
      /** The first 16 hex digits of those gone since. */
      gone: z.array(z.string()),
      /**
       * The metadata revision of each client system on the whole list, in its order, as the index has it; 0 for one
       * that has none.
       */
      revisions: z.array(z.int().nonnegative()).optional(),
    }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed', 'refused'],
  }),
  system: route({
    method: 'GET',
    path: '/nodes/{id}/systems/{fp}',
    summary: 'Whether this key should be accepted on the node: asked when it is pending there',
    scope: 'node',
    params: z.strictObject({ id: NodeId, fp: Fingerprint }),
    reply: KeyVerdict,
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed'],
  }),
  askAboutKeys: route({
    method: 'POST',
    path: '/nodes/{id}/systems/questions',
    summary: 'Whether each of these keys should be accepted on the node. The call changes nothing',
    scope: 'node',
    params: id,
    body: z.strictObject({ fingerprints: z.array(Fingerprint).min(1).max(keysAskedMax) }),
    /** One answer for each fingerprint, in their order. */
    reply: z.strictObject({ answers: z.array(KeyVerdict) }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed'],
  }),
  revoked: route({
    method: 'GET',
    path: '/nodes/{id}/revoked',
    summary:
      'The client systems whose place in the zone was revoked lately (banned, unregistered, pinned). An agent that stores keys asks about these again',
    scope: 'node',
    params: id,
    query: z.strictObject({
      /** The `at` of the previous answer; without it, all revocations are listed. */
      since: z.coerce.number().int().nonnegative().optional(),
    }),
    reply: z.strictObject({
      /** The version of the revocations, as in the answers to heartbeats. */
      version: z.int().nonnegative(),
      /** When the newest of them was revoked, in seconds. */
      at: z.int().nonnegative(),
      /** The first 8 hex digits of their fingerprints, in order; some may have been reported before. */
      systems: z.array(z.string().regex(/^[0-9a-f]{8}$/)),
      /** There were too many to list: any client system may be revoked. */
      everybody: z.boolean(),
    }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed'],
  }),
} as const;
