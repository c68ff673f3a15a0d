import * as z from 'zod';
import { route } from '../../api/route.ts';
import { signatureProblems } from '../../api/signature-problems.ts';
import { Fingerprint, Fqdn, NodeId } from '../../core/ids.ts';

const id = z.strictObject({ id: NodeId });

/** The client systems of a node, as its agent asks for them. */
export const systemsRoutes = {
  systems: route({
    method: 'GET',
    path: '/nodes/{id}/systems',
    summary: 'Its client systems in fingerprint order, or what changed since a version it was handed',
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
       * Of each on the list, the whole list and in its order, the metadata revision as the index has it; 0 for one that
       * has none.
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
    reply: z.strictObject({
      verdict: z.enum(['accept', 'not-yours', 'unknown', 'banned']),
      /** Whose it is, where it is another node's. */
      node: Fqdn.optional(),
      /** The fingerprint by which the node's list names this client system, which may be asked for by its other one. */
      fp: Fingerprint.optional(),
    }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed'],
  }),
  revoked: route({
    method: 'GET',
    path: '/nodes/{id}/revoked',
    summary: 'Whose place in the zone was revoked lately (banned, unregistered, pinned): an agent that keeps keys asks about these again',
    scope: 'node',
    params: id,
    query: z.strictObject({
      /** The `at` of the answer before; since ever without it. */
      since: z.coerce.number().int().nonnegative().optional(),
    }),
    reply: z.strictObject({
      /** As heartbeats are answered. */
      version: z.int().nonnegative(),
      /** When the newest of them was revoked, in seconds. */
      at: z.int().nonnegative(),
      /** The first 8 hex digits of their fingerprints, in order; a few that were told before may be among them. */
      systems: z.array(z.string().regex(/^[0-9a-f]{8}$/)),
      /** There were so many that they are not told apart: it may be anybody. */
      everybody: z.boolean(),
    }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed'],
  }),
} as const;
