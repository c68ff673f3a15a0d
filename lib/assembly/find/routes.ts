import * as z from 'zod';
import { listOf, paged } from '../../api/page.ts';
import { route } from '../../api/route.ts';
import { queryTextMax } from '../../clients/selection-routes.ts';
import { Fqdn, ZoneName } from '../../core/ids.ts';

/** What is found besides client systems, by the values of `kind:`. */
export const ThingKind = z.enum(['node', 'service', 'process', 'host']);
export type ThingKind = z.infer<typeof ThingKind>;

/** A thing that was found: what other calls know it by, and what people look for it by. */
export const ThingView = z.strictObject({
  kind: ThingKind,
  /** The id of a node, the type of a service, the fid of a process, the fingerprint of a host. */
  id: z.string(),
  name: z.string(),
  /** The zone that it is of; of a host, the one that it asks for, if any. */
  zone: ZoneName.optional(),
  /** The node that a service or a process runs on. */
  node: Fqdn.optional(),
  status: z.string(),
});
export type ThingView = z.infer<typeof ThingView>;

/** Searches for other things than client systems. */
export const findRoutes = {
  findThings: route({
    method: 'GET',
    path: '/api/v1/find',
    summary: 'Nodes, services, processes and waiting hosts that match a query, in all zones that the caller may see (docs/search.md)',
    scope: 'read',
    query: z.strictObject({ q: z.string().max(queryTextMax), ...paged, limit: z.coerce.number().int().min(0).max(200).default(50) }),
    reply: listOf(ThingView).extend({
      /** How many match, exactly. */
      total: z.int(),
      /** The query as it was read. */
      query: z.string(),
    }),
    statuses: [200],
    errors: ['bad-query', 'bad-cursor'],
  }),
} as const;
