import * as z from 'zod';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';
import { LayoutPage, ServerPart } from './load/parts.ts';

const zone = z.strictObject({ zone: ZoneName });

/** What a storage cluster is made of, as it is now, and the order to tell its agents again. */
export const adminMeroFactsRoutes = {
  getMeroFacts: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero/facts',
    summary: 'What a storage cluster is made of, in parts: pages as they were loaded, and servers as they are now. Without secrets',
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
    summary: 'Have every agent of a storage cluster read anew what it is to run; with force also while nothing is loaded',
    scope: 'operate',
    params: zone,
    body: z.strictObject({ force: z.boolean().optional() }).default({}),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [202],
    errors: ['unknown-zone', 'not-a-storage-zone', 'refused'],
  }),
} as const;
