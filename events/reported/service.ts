import * as z from 'zod';
import { InstanceId, ServiceTypeName } from '../../lib/core/ids.ts';
import { defineReport } from '../define.ts';
import { Born } from './process.ts';

/** The service of the reporting node, its instance, and the run of that instance: pid, and when it began. */
const life = { service: ServiceTypeName, instance: InstanceId, pid: z.int().positive().optional(), born: Born.optional() };
const exit = z.int().nonnegative().optional();
/** The name of a resource. It is part of the key of its holders, so each character takes one byte. */
export const ResourceId = z.string().regex(/^[ -~]{1,200}$/, 'the name of a resource has 1 to 200 printable ASCII characters');
const resource = { kind: ServiceTypeName, id: ResourceId };

/** The service was started and is not ready yet. */
export const ServiceStarting = defineReport('service.starting', 1, z.strictObject(life));
/** The service is ready; with its address and its version, if it reports them. */
export const ServiceStarted = defineReport(
  'service.started',
  1,
  z.strictObject({ ...life, address: z.string().min(1).max(300).optional(), version: z.string().min(1).max(100).optional() }),
);
/** The service is about to end: it was ordered to stop, or reports itself that it stops. */
export const ServiceStopping = defineReport('service.stopping', 1, z.strictObject(life));
/** The service has ended; Muster knows whether that was intended. */
export const ServiceStopped = defineReport('service.stopped', 1, z.strictObject({ ...life, exit }));
/**
 * The service could not be started or stopped, or has failed. `refused`: the configuration of its host does not allow
 * it, so another attempt cannot succeed.
 */
export const ServiceFailed = defineReport(
  'service.failed',
  1,
  z.strictObject({ ...life, reason: z.string().min(1).max(400), exit, refused: z.literal(true).optional() }),
);
/** The service has acquired a resource, shared or exclusive. */
export const ServiceAcquired = defineReport(
  'service.acquired',
  1,
  z.strictObject({ ...life, ...resource, hold: z.enum(['shared', 'exclusive']) }),
);
/** The service has released a resource. */
export const ServiceReleased = defineReport('service.released', 1, z.strictObject({ ...life, ...resource }));
/** The longest configuration that a service may report, in characters of JSON. */
export const reportedConfigurationMax = 3_000;
/** A configuration as a service reports it. */
export const ReportedConfiguration = z
  .record(z.string(), z.json())
  .refine(
    (configuration) => JSON.stringify(configuration).length <= reportedConfigurationMax,
    `a reported configuration has at most ${reportedConfigurationMax} characters of JSON`,
  );
/** The service has changed its own configuration; this is the whole of it. A masked value is unchanged. */
export const ServiceConfigured = defineReport('service.configured', 1, z.strictObject({ ...life, configuration: ReportedConfiguration }));
/**
 * The result of a check, a status or a message. `ask` is the id of the request, if there was one. `exit` is as OCF
 * defines it, and absent after a timeout. `again`: the check had the same result as the last one; such results are
 * reported now and then.
 */
export const ServiceAnswered = defineReport(
  'service.answered',
  1,
  z.strictObject({
    ...life,
    ask: z.string().min(1).max(100).optional(),
    what: z.enum(['check', 'status', 'message']),
    message: ServiceTypeName.optional(),
    exit: z.int().min(0).max(255).optional(),
    again: z.literal(true).optional(),
    says: z.string().max(2_000),
  }),
);

/**
 * Every report about a service. The number of a report counts all of the agent's reports about its processes and
 * services in one boot.
 */
export const ServiceReport = z.discriminatedUnion('type', [
  ServiceStarting,
  ServiceStarted,
  ServiceStopping,
  ServiceStopped,
  ServiceFailed,
  ServiceAcquired,
  ServiceReleased,
  ServiceConfigured,
  ServiceAnswered,
]);
export type ServiceReport = z.infer<typeof ServiceReport>;
export type ServiceReportType = ServiceReport['type'];
