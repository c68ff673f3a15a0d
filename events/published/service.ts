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
/** The service ended as intended, and is no longer registered. */
export const ServiceIsStopped = defineEvent('service.stopped', 1, z.strictObject(about));
/**
 * The service failed. With `retry` Muster starts it again by itself; without, it stays failed until an operator acts.
 */
export const ServiceHasFailed = defineEvent(
  'service.failed',
  1,
  z.strictObject({ ...about, reason: z.string().min(1).max(400), attempts: z.int().nonnegative(), retry: z.boolean() }),
);
/** The health of the service changed: a check had another result than the one before. */
export const ServiceHealth = defineEvent(
  'service.health',
  1,
  z.strictObject({ ...about, healthy: z.boolean(), says: z.string().max(2_000) }),
);
/**
 * The service reports that it has changed its own configuration. `differs` lists the differences from the ordered
 * configuration, as JSON pointers; it is empty once they agree again. By the rule of the service's type, Muster orders
 * the reported configuration from then on (`accept`), or restarts the service with the ordered one (`restore`).
 */
export const ServiceIsConfigured = defineEvent(
  'service.configured',
  1,
  z.strictObject({ ...about, differs: z.array(z.string()).max(16), does: z.enum(['nothing', 'accept', 'restore']) }),
);
