import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId } from '../../core/ids.ts';
import { Adoption } from './rows/adoption.ts';

/** An adoption as the API and the command line show it. */
export const AdoptionView = Adoption.pick({ state: true, dryRun: true, duplicates: true, total: true, why: true }).extend({
  node: NodeId,
  order: z.string(),
  by: z.string(),
  orderedAt: Moment,
  /** When it went on last. */
  at: Moment,
  /** How many were adopted, or can be in a dry run; were adopted before; and were left. */
  adopted: z.int(),
  known: z.int(),
  left: z.int(),
  /** The first that were left, and why. */
  examples: Adoption.shape.examples,
});
export type AdoptionView = z.infer<typeof AdoptionView>;

/** A node by id or by its fully qualified name. */
const params = z.strictObject({ id: z.union([NodeId, Fqdn]) });

/** What administrators do about the systems that a server had before it became a node. */
export const adoptionRoutes = {
  adoptSystems: route({
    method: 'POST',
    path: '/api/v1/nodes/{id}/adoption',
    summary:
      'Adopt the systems of the node: each accepted key of its Salt master becomes an accepted client system, pinned softly to the node. The agent of the node does it, and may be asked again',
    scope: 'operate',
    params,
    body: z.strictObject({
      /** Counts what would become of each system, and adopts none. */
      dryRun: z.boolean().default(false),
      /** Adopts systems whose machine id or name another key reported first. */
      duplicates: z.boolean().default(false),
    }),
    reply: AdoptionView,
    statuses: [202],
    errors: ['unknown-node', 'refused'],
  }),
  adoption: route({
    method: 'GET',
    path: '/api/v1/nodes/{id}/adoption',
    summary: 'How far the adoption that was ordered last for the node has come',
    scope: 'read',
    params,
    reply: AdoptionView,
    statuses: [200],
    errors: ['unknown-node', 'not-found'],
  }),
} as const;
