import * as z from 'zod';
import { route } from '../api/route.ts';
import { Fqdn, InstanceId, NodeId, ServiceTypeName, ZoneName } from '../core/ids.ts';

const params = z.strictObject({ zone: ZoneName, type: ServiceTypeName });
/** A node by its id or its fully qualified name. */
const node = z.string().min(1).max(253);
const configuration = z.record(z.string(), z.unknown());
const noType = ['unknown-zone', 'unknown-node', 'unknown-service-type', 'invalid'] as const;

/** The service that an order was about, as it is then: `instance` names the life that runs it, or ran it last. */
const service = { type: ServiceTypeName, node: NodeId, host: Fqdn, instance: InstanceId, state: z.string() };
const ordered = z.strictObject({
  done: z.boolean(),
  because: z.string(),
  /** Absent where it is not registered. */
  service: z.strictObject(service).optional(),
});
/** The answer comes by the agent: it stands in the service's results under this id, by then or never. */
const asked = z.strictObject({
  ask: z.string(),
  until: z.iso.datetime(),
  /** How long that is from now, in ms: clocks differ. */
  waitMs: z.int().positive(),
  because: z.string(),
  service: z.strictObject(service),
});

/** Operators' orders about services. */
export const adminServiceRoutes = {
  startService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/start',
    summary:
      'Have a service run on a node, once: one that runs already stays as it is. On a node that is away the order is kept until that is back',
    scope: 'operate',
    params,
    body: z.strictObject({ node, configuration: configuration.optional() }),
    reply: z.strictObject({
      answer: z.enum(['started', 'already running', 'attempting']),
      because: z.string(),
      service: z.strictObject(service),
      /** What it runs with. */
      configuration: z.unknown(),
    }),
    statuses: [201, 200],
    errors: [...noType, 'name-taken', 'configuration-invalid', 'type-shut-out', 'refused'],
  }),
  stopService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/stop',
    summary: 'Have a service stopped on a node: it is not started again, and registered no more once it has ended',
    scope: 'operate',
    params,
    body: z.strictObject({ node }),
    reply: ordered,
    statuses: [202],
    errors: noType,
  }),
  reconfigureService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/reconfigure',
    summary: 'Have a service run with another configuration: it is started again with that. The same one changes nothing',
    scope: 'operate',
    params,
    body: z.strictObject({ node, configuration }),
    reply: ordered,
    statuses: [202],
    errors: [...noType, 'configuration-invalid', 'type-shut-out', 'service-not-running'],
  }),
  checkService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/check',
    summary: 'Ask a service whether it is well: the answer, with an exit code as OCF defines it, stands in its results',
    scope: 'operate',
    params,
    body: z.strictObject({ node }),
    reply: asked,
    statuses: [202],
    errors: [...noType, 'service-not-running', 'not-yet'],
  }),
  statusService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/status',
    summary: 'Ask a service what there is to say of it: it also says so in its log. The answer stands in its results',
    scope: 'operate',
    params,
    body: z.strictObject({ node }),
    reply: asked,
    statuses: [202],
    errors: [...noType, 'service-not-running', 'not-yet'],
  }),
  sendService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/send',
    summary: 'Send a service a message that its type declares; the answer stands in its results',
    scope: 'operate',
    params,
    body: z.strictObject({ node, message: ServiceTypeName, data: z.unknown().optional() }),
    reply: asked,
    statuses: [202],
    errors: [...noType, 'unknown-message', 'type-shut-out', 'service-not-running', 'not-yet'],
  }),
} as const;
