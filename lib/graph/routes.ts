import * as z from 'zod';
import { route } from '../api/route.ts';
import { ZoneName } from '../core/ids.ts';
import { Edge, Vertex } from './graph.ts';

const flag = z.enum(['true', 'false']).default('false');

/** The route by which people and programs read the resource graph. */
export const adminGraphRoutes = {
  graph: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/graph',
    summary:
      'The resource graph of a zone, page by page: vertices, and the edges to the things they belong to, which may be on another page. Devices and client systems are included only on request, because there may be very many',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(200).default(200),
      cursor: z.string().max(500).optional(),
      devices: flag,
      systems: flag,
    }),
    reply: z.strictObject({ vertices: z.array(Vertex), edges: z.array(Edge), next: z.string().optional() }),
    statuses: [200],
    errors: ['bad-cursor', 'unknown-zone'],
  }),
} as const;
