import * as z from 'zod';
import { ServiceName, ServiceTypeName, ZoneName } from '../ids.ts';
import { listOf, paged } from './page.ts';
import { route } from './route.ts';
import { ServiceStateName, ServiceView } from './service-views.ts';

/** A node by its id or fully qualified name. */
const node = z.string().min(1).max(253);

/** What people and programs see of services. */
export const adminServiceViewRoutes = {
  listServices: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/services',
    summary: 'The services of a zone by name, type and node, those of a node by type. A page may be short where a filter leaves some out',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    query: z.strictObject({
      ...paged,
      type: ServiceTypeName.optional(),
      name: ServiceName.optional(),
      node: node.optional(),
      state: ServiceStateName.optional(),
    }),
    reply: listOf(ServiceView),
    statuses: [200],
    errors: ['bad-cursor', 'unknown-zone', 'unknown-node'],
  }),
  getService: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/services/{type}/{node}',
    summary: 'The service of a type on a node: what it does, runs with and holds, and what it was asked and answered',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName, type: ServiceTypeName, node }),
    reply: ServiceView,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-node', 'unknown-service'],
  }),
} as const;
