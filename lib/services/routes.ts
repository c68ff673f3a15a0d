import * as z from 'zod';
import { route } from '../api/route.ts';
import { Fqdn, InstanceId, NodeId, ServiceTypeName, ZoneName } from '../core/ids.ts';

const params = z.strictObject({ zone: ZoneName, type: ServiceTypeName });
/** A node by its id or its fully qualified name. */
const node = z.string().min(1).max(253);
const configuration = z.record(z.string(), z.unknown());
const noType = ['unknown-zone', 'unknown-node', 'unknown-service-type', 'invalid'] as const;

/** The service that an order concerns, after the order. `instance` is the one that runs it, or ran it last. */
const service = { type: ServiceTypeName, node: NodeId, host: Fqdn, instance: InstanceId, state: z.string() };
const ordered = z.strictObject({
  done: z.boolean(),
  because: z.string(),
  /** Absent where it is not registered. */
  service: z.strictObject(service).optional(),
});
/** The agent answers: the answer appears in the service's results under this id, by `until` or never. */
const asked = z.strictObject({
  ask: z.string(),
  until: z.iso.datetime(),
  /** How long `until` is from now, in ms: clocks differ. */
  waitMs: z.int().positive(),
  because: z.string(),
  service: z.strictObject(service),
});

/** Operators' orders about services. */
export const adminServiceRoutes = {
  startService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/start',
    summary: 'Start a service on a node. A service that runs already is unchanged. If the node is away, the order waits until it is back',
    scope: 'operate',
    params,
    body: z.strictObject({ node, configuration: configuration.optional() }),
    reply: z.strictObject({
      answer: z.enum(['started', 'already running', 'attempting']),
      because: z.string(),
      service: z.strictObject(service),
      /** The configuration that it runs with. */
      configuration: z.unknown(),
    }),
    statuses: [201, 200],
    errors: [...noType, 'name-taken', 'configuration-invalid', 'type-shut-out', 'refused'],
  }),
  stopService: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/services/{type}/stop',
    summary: 'Stop a service on a node. It is not restarted, and is unregistered once it has ended',
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
    summary: 'Change the configuration of a service: it is restarted with that. The same configuration changes nothing',
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
    summary: 'Check the health of a service. The answer, with an exit code as OCF defines it, appears in its results',
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
    summary: 'Ask a service for its status, which it also writes to its log. The answer appears in its results',
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
    summary: 'Send a service a message that its type declares. The answer appears in its results',
    scope: 'operate',
    params,
    body: z.strictObject({ node, message: ServiceTypeName, data: z.unknown().optional() }),
    reply: asked,
    statuses: [202],
    errors: [...noType, 'unknown-message', 'type-shut-out', 'service-not-running', 'not-yet'],
  }),
} as const;
