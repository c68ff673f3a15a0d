import * as z from 'zod';
import { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

const about = { zone: ZoneName, service: ServiceTypeName, name: ServiceName, node: NodeId, host: Fqdn, instance: InstanceId };

/** The service is being started, as this instance: by an operator, by rule, or with another configuration. */
export const ServiceIsStarting = defineEvent('service.starting', 1, z.strictObject(about));
/** The service is ready. */
export const ServiceIsOnline = defineEvent('service.online', 1, z.strictObject(about));
/** The service is about to end. */
export const ServiceIsStopping = defineEvent('service.stopping', 1, z.strictObject(about));
/** The service has ended as it should, and is not registered any more. */
export const ServiceIsStopped = defineEvent('service.stopped', 1, z.strictObject(about));
/** The service has failed. With `retry` Muster starts it again by itself; without it somebody has to look. */
export const ServiceHasFailed = defineEvent(
  'service.failed',
  1,
  z.strictObject({ ...about, reason: z.string().min(1).max(400), attempts: z.int().nonnegative(), retry: z.boolean() }),
);
/** A check found the service well, or not, other than the one before it. */
export const ServiceHealth = defineEvent(
  'service.health',
  1,
  z.strictObject({ ...about, healthy: z.boolean(), says: z.string().max(2_000) }),
);
/**
 * The service says that it runs with another configuration, which it has changed itself. `differs` has where that is
 * not as it was ordered, as JSON pointers, and nothing once it is so again. By the rule of its type it is what is
 * ordered from then on (`accept`), or the service is started again as it was ordered (`restore`).
 */
export const ServiceIsConfigured = defineEvent(
  'service.configured',
  1,
  z.strictObject({ ...about, differs: z.array(z.string()).max(16), does: z.enum(['nothing', 'accept', 'restore']) }),
);
