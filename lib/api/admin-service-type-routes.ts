import * as z from 'zod';
import { ServiceTypeName, ZoneName } from '../ids.ts';
import { route } from './route.ts';
import { ServiceTypePut, ServiceTypeView } from './service-views.ts';

const zone = z.strictObject({ zone: ZoneName });
const type = z.strictObject({ zone: ZoneName, type: ServiceTypeName });
const done = z.strictObject({ done: z.boolean(), because: z.string() });

/** The types of services of a zone. */
export const adminServiceTypeRoutes = {
  listServiceTypes: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/service-types',
    summary: 'The types of services of a zone: those that come with Muster, and those that were put',
    scope: 'read',
    params: zone,
    reply: z.strictObject({ items: z.array(ServiceTypeView) }),
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  getServiceType: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/service-types/{type}',
    summary: 'A type of service with its schema',
    scope: 'read',
    params: type,
    reply: ServiceTypeView,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-service-type'],
  }),
  putServiceType: route({
    method: 'PUT',
    path: '/api/v1/zones/{zone}/service-types/{type}',
    summary:
      'Put a type of service: the command that runs it, what it is configured by as a JSON Schema of draft 2020-12, and what it can be asked. Refused while there are services of it, and for a type that comes with Muster',
    scope: 'execute',
    params: type,
    body: ServiceTypePut,
    reply: done,
    statuses: [200],
    errors: ['unknown-zone', 'invalid', 'refused'],
  }),
  deleteServiceType: route({
    method: 'DELETE',
    path: '/api/v1/zones/{zone}/service-types/{type}',
    summary: 'Take a type of service that was put out again. Refused while there are services of it',
    scope: 'execute',
    params: type,
    reply: done,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-service-type', 'refused'],
  }),
} as const;
