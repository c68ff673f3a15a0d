import * as z from 'zod';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';
import { LayoutPage, ServerPart } from './load/parts.ts';

const zone = z.strictObject({ zone: ZoneName });

/** The facts of a storage cluster as it is now, and the order to its agents to read their desired state again. */
export const adminMeroFactsRoutes = {
  getMeroFacts: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero/facts',
    summary: 'The facts of a storage cluster, in parts: pages as they were loaded, and servers as they are now. Without secrets',
    scope: 'read',
    params: zone,
    query: z.strictObject({ cursor: z.string().max(500).optional() }),
    reply: z.strictObject({ pages: z.array(LayoutPage), servers: z.array(ServerPart), next: z.string().optional() }),
    statuses: [200],
    errors: ['unknown-zone', 'not-a-storage-zone', 'bad-cursor', 'refused'],
  }),
  syncMero: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/sync',
    summary: 'Make every agent of a storage cluster read its desired state again; with force also while nothing is loaded',
    scope: 'operate',
    params: zone,
    body: z.strictObject({ force: z.boolean().optional() }).default({}),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-zone', 'not-a-storage-zone', 'refused'],
  }),
} as const;
