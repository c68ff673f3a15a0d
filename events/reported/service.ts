import * as z from 'zod';
import { InstanceId, ServiceTypeName } from '../../lib/core/ids.ts';
import { defineReport } from '../define.ts';
import { Born } from './process.ts';

/** Which service of the node that speaks, which of its instances, and which of that one's lives. */
const life = { service: ServiceTypeName, instance: InstanceId, pid: z.int().positive().optional(), born: Born.optional() };
const exit = z.int().nonnegative().optional();
/** How a resource is called. Who holds it is found by that: no character of it takes more than one byte. */
export const ResourceId = z.string().regex(/^[ -~]{1,200}$/, 'a resource is called by 1 to 200 ASCII characters');
const resource = { kind: ServiceTypeName, id: ResourceId };

/** The service was started and is not ready yet. */
export const ServiceStarting = defineReport('service.starting', 1, z.strictObject(life));
/** The service is ready; where it can be reached, and which version it is, if it says so. */
export const ServiceStarted = defineReport(
  'service.started',
  1,
  z.strictObject({ ...life, address: z.string().min(1).max(300).optional(), version: z.string().min(1).max(100).optional() }),
);
/** The service is about to end: it was told to, or says itself that it stops. */
export const ServiceStopping = defineReport('service.stopping', 1, z.strictObject(life));
/** The service has ended; whether that was wanted, Muster knows. */
export const ServiceStopped = defineReport('service.stopped', 1, z.strictObject({ ...life, exit }));
/**
 * The service could not be started or stopped, or has failed. `refused`: its host does not run it, by its own
 * configuration; trying again is in vain.
 */
export const ServiceFailed = defineReport(
  'service.failed',
  1,
  z.strictObject({ ...life, reason: z.string().min(1).max(400), exit, refused: z.literal(true).optional() }),
);
/** The service has come to hold a resource, with others or alone. */
export const ServiceAcquired = defineReport(
  'service.acquired',
  1,
  z.strictObject({ ...life, ...resource, hold: z.enum(['shared', 'exclusive']) }),
);
/** The service holds a resource no more. */
export const ServiceReleased = defineReport('service.released', 1, z.strictObject({ ...life, ...resource }));
/** How much of its configuration a service may say, in characters of JSON. */
export const configurationSaidMax = 3_000;
/** A configuration as a service says it. */
export const ConfigurationSaid = z
  .record(z.string(), z.json())
  .refine(
    (said) => JSON.stringify(said).length <= configurationSaidMax,
    `a service says ${configurationSaidMax} characters of JSON at the most`,
  );
/**
 * The service runs with another configuration, which it has changed itself: the whole of it. What is masked there is as
 * it was.
 */
export const ServiceConfigured = defineReport('service.configured', 1, z.strictObject({ ...life, configuration: ConfigurationSaid }));
/**
 * What came of a check, a status or a message: of one that was asked for, its id. `exit` as OCF defines it, absent of
 * one that took too long. `again`: a check found what the last one did, which is told now and then all the same.
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
 * Everything that is reported about a service. The number of a report counts all that the agent says of its processes
 * and services in one boot.
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
